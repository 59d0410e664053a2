-- One function for each request, but for taking a message: see functions-*.sql. The planner is kept from reading a table whole or
-- sorting it: plans are made once for a connection, perhaps when the queue is empty, and have to do when it is long.

-- Appends a message to a queue, which is made if it is not there.
CREATE OR REPLACE FUNCTION message_queue.send(
    to_queue text, to_receiver text, from_sender text, new_flags bigint, new_body bytea
) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    LOOP
        -- In one statement, which has its lock on the messages before it looks: no queue is dropped in between.
        INSERT INTO message_queue.message (queue, receiver, sender, flags, body)
        SELECT q.name, to_receiver, from_sender, new_flags, new_body FROM message_queue.queue q WHERE q.name = to_queue;
        EXIT WHEN FOUND;
        INSERT INTO message_queue.queue (name) VALUES (to_queue) ON CONFLICT DO NOTHING;
    END LOOP;
END $$;

-- The oldest message of a queue to a receiver ('': to nobody), from a sender if one is given; it stays. No row: there is none.
CREATE OR REPLACE FUNCTION message_queue.peek(of_queue text, to_receiver text DEFAULT '', from_sender text DEFAULT NULL)
RETURNS TABLE (flags bigint, body bytea) LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_sort = off AS $$
BEGIN
    IF from_sender IS NULL THEN
        RETURN QUERY SELECT m.flags, m.body FROM message_queue.message m
        WHERE m.receiver = to_receiver AND m.queue = of_queue ORDER BY m.id LIMIT 1;
    ELSE
        RETURN QUERY SELECT m.flags, m.body FROM message_queue.message m
        WHERE m.receiver = to_receiver AND m.queue = of_queue AND m.sender = from_sender AND m.sender <> ''
        ORDER BY m.id LIMIT 1;
    END IF;
END $$;

-- The names of the queues that have messages to a receiver, in order. It goes from name to name, so that what it takes depends
-- on the number of queues and not of messages.
CREATE OR REPLACE FUNCTION message_queue.waiting(to_receiver text DEFAULT '')
RETURNS SETOF text LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_sort = off AS $$
DECLARE
    last text COLLATE "C" := '';
BEGIN
    LOOP
        SELECT m.queue INTO last FROM message_queue.message m
        WHERE m.receiver = to_receiver AND m.queue > last ORDER BY m.queue LIMIT 1;
        EXIT WHEN NOT FOUND;
        RETURN NEXT last;
    END LOOP;
END $$;

-- Makes an empty queue; false: it was there.
CREATE OR REPLACE FUNCTION message_queue.add(new_queue text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO message_queue.queue (name) VALUES (new_queue) ON CONFLICT DO NOTHING;
    RETURN FOUND;
END $$;

-- Drops a queue with its messages; false: it was not there. Who sends or takes at that moment waits, whatever the queue: then no
-- message can come to a queue that is gone.
CREATE OR REPLACE FUNCTION message_queue.remove(old_queue text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    LOCK TABLE message_queue.message IN SHARE ROW EXCLUSIVE MODE;
    DELETE FROM message_queue.message m WHERE m.queue = old_queue;
    DELETE FROM message_queue.queue q WHERE q.name = old_queue;
    RETURN FOUND;
END $$;
