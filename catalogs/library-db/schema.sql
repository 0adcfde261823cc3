-- A lending library with several branches (SQLite 3.37 or later).

-- A house of the library
CREATE TABLE branches (
    branch_id   INTEGER PRIMARY KEY,
    name        TEXT NOT NULL UNIQUE,
    city        TEXT NOT NULL,
    phone       TEXT,
    opened_on   TEXT NOT NULL CHECK (opened_on GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]')  -- ISO date
) STRICT;

CREATE TABLE authors (
    author_id   INTEGER PRIMARY KEY,
    name        TEXT NOT NULL,          -- as printed on the title page
    born        INTEGER CHECK (born BETWEEN -800 AND 2100),
    died        INTEGER CHECK (died IS NULL OR died >= born),
    country     TEXT CHECK (length(country) = 2)  -- ISO 3166 code
) STRICT;

CREATE TABLE books (
    book_id     INTEGER PRIMARY KEY,
    isbn        TEXT UNIQUE CHECK (length(isbn) IN (10, 13)),  -- without hyphens; old books have none
    title       TEXT NOT NULL CHECK (title <> ''),
    language    TEXT NOT NULL DEFAULT 'en',
    genre       TEXT NOT NULL CHECK (genre IN ('novel', 'poetry', 'drama', 'biography', 'science', 'history', 'children', 'other')),
    published   INTEGER CHECK (published BETWEEN 1450 AND 2100),
    pages       INTEGER CHECK (pages > 0),
    summary     TEXT
) STRICT;

-- Who wrote which book, in the order of the title page
CREATE TABLE book_authors (
    book_id     INTEGER NOT NULL REFERENCES books (book_id) ON DELETE CASCADE,
    author_id   INTEGER NOT NULL REFERENCES authors (author_id),
    position    INTEGER NOT NULL DEFAULT 1 CHECK (position >= 1),
    role        TEXT NOT NULL DEFAULT 'author' CHECK (role IN ('author', 'editor', 'translator', 'illustrator')),
    PRIMARY KEY (book_id, author_id, role)
) STRICT, WITHOUT ROWID;

-- A book on a shelf; a title can have many
CREATE TABLE copies (
    copy_id     INTEGER PRIMARY KEY,
    book_id     INTEGER NOT NULL REFERENCES books (book_id),
    branch_id   INTEGER NOT NULL REFERENCES branches (branch_id),
    shelf_mark  TEXT NOT NULL,
    condition   TEXT NOT NULL DEFAULT 'good' CHECK (condition IN ('new', 'good', 'worn', 'damaged', 'lost')),
    acquired_on TEXT NOT NULL DEFAULT CURRENT_DATE,
    price       REAL CHECK (price >= 0)  -- euros
) STRICT;

CREATE TABLE members (
    member_id   INTEGER PRIMARY KEY,
    member_no   TEXT NOT NULL UNIQUE CHECK (member_no GLOB 'L[0-9][0-9][0-9][0-9][0-9][0-9]'),
    name        TEXT NOT NULL,
    email       TEXT UNIQUE COLLATE NOCASE,
    branch_id   INTEGER REFERENCES branches (branch_id),  -- home branch
    status      TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended', 'expired')),
    joined_on   TEXT NOT NULL DEFAULT CURRENT_DATE,
    max_loans   INTEGER NOT NULL DEFAULT 10 CHECK (max_loans BETWEEN 0 AND 50)
) STRICT;

CREATE TABLE loans (
    loan_id     INTEGER PRIMARY KEY,
    copy_id     INTEGER NOT NULL REFERENCES copies (copy_id),
    member_id   INTEGER NOT NULL REFERENCES members (member_id),
    lent_on     TEXT NOT NULL DEFAULT CURRENT_DATE,
    due_on      TEXT NOT NULL,
    returned_on TEXT,                    -- empty while the book is out
    renewals    INTEGER NOT NULL DEFAULT 0 CHECK (renewals BETWEEN 0 AND 3),
    CHECK (due_on >= lent_on),
    CHECK (returned_on IS NULL OR returned_on >= lent_on)
) STRICT;

-- A copy is lent to one member at a time
CREATE UNIQUE INDEX one_open_loan ON loans (copy_id) WHERE returned_on IS NULL;
CREATE INDEX loans_by_member ON loans (member_id, lent_on);

CREATE TABLE fines (
    fine_id     INTEGER PRIMARY KEY,
    loan_id     INTEGER NOT NULL REFERENCES loans (loan_id),
    cents       INTEGER NOT NULL CHECK (cents > 0),
    reason      TEXT NOT NULL CHECK (reason IN ('late', 'damage', 'loss')),
    paid_on     TEXT
) STRICT;

-- Loans that are over their date today
CREATE VIEW overdue_loans AS
SELECT l.loan_id, m.member_id, m.name AS member, b.title, c.branch_id, l.due_on,
       CAST(julianday('now') - julianday(l.due_on) AS INTEGER) AS days_late
FROM loans l
JOIN members m ON m.member_id = l.member_id
JOIN copies c ON c.copy_id = l.copy_id
JOIN books b ON b.book_id = c.book_id
WHERE l.returned_on IS NULL AND l.due_on < date('now');
