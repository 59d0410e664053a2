-- Takes the oldest message as message_queue.take does, but with plain row locks: who comes second waits for who is taking it, and
-- then takes the next one. What it waited for may have been the last message it knew of, though others came meanwhile: it looks again.
CREATE OR REPLACE FUNCTION message_queue.take_row_locks(
    of_queue text, to_receiver text DEFAULT '', from_sender text DEFAULT NULL
) RETURNS TABLE (flags bigint, body bytea) LANGUAGE plpgsql SET enable_seqscan = off SET enable_sort = off AS $$
BEGIN
    LOOP
        IF from_sender IS NULL THEN
            RETURN QUERY DELETE FROM message_queue.message d
            WHERE d.receiver = to_receiver AND d.queue = of_queue AND d.id = (
                SELECT m.id FROM message_queue.message m
                WHERE m.receiver = to_receiver AND m.queue = of_queue
                ORDER BY m.id LIMIT 1 FOR UPDATE
            ) RETURNING d.flags, d.body;
        ELSE
            RETURN QUERY DELETE FROM message_queue.message d
            WHERE d.receiver = to_receiver AND d.queue = of_queue AND d.id = (
                SELECT m.id FROM message_queue.message m
                WHERE m.receiver = to_receiver AND m.queue = of_queue AND m.sender = from_sender AND m.sender <> ''
                ORDER BY m.id LIMIT 1 FOR UPDATE
            ) RETURNING d.flags, d.body;
        END IF;
        EXIT WHEN FOUND;
        PERFORM FROM message_queue.peek(of_queue, to_receiver, from_sender);
        EXIT WHEN NOT FOUND;
    END LOOP;
END $$;
