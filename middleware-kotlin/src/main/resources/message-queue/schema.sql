-- Queues and their messages. Names are compared byte by byte, whatever the database's language.

CREATE SCHEMA message_queue;

-- Which of these files are installed: one row.
CREATE TABLE message_queue.version (number integer NOT NULL);

-- A queue is here from its first message, or from `add`, until it is dropped; messages name it without a foreign key, which
-- would lock its row for every message that is sent.
CREATE TABLE message_queue.queue (name text COLLATE "C" PRIMARY KEY);

-- A message addressed to nobody has the receiver '', one from nobody the sender ''. Numbers are drawn one by one (no cache):
-- a message that is sent when another one's sending has been acknowledged has the higher number.
CREATE TABLE message_queue.message (
    id bigint GENERATED ALWAYS AS IDENTITY,
    queue text COLLATE "C" NOT NULL,
    receiver text COLLATE "C" NOT NULL,
    sender text COLLATE "C" NOT NULL,
    flags bigint NOT NULL,
    body bytea NOT NULL,
    -- The oldest message of a receiver in a queue; and, one receiver after the other, the queues that have any.
    PRIMARY KEY (receiver, queue, id)
) WITH (toast_tuple_target = 4080);  -- up to there a body stays in its row: it is read once, and all of it

-- The oldest message from a sender.
CREATE INDEX message_of_sender ON message_queue.message (receiver, queue, sender, id) WHERE sender <> '';

-- A message does not stay: no time is spent on making it smaller.
ALTER TABLE message_queue.message ALTER COLUMN body SET STORAGE EXTERNAL;
