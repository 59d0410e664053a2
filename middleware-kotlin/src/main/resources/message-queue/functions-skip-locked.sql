-- Takes (removes and returns) the oldest message that nobody else is taking at this moment, and waits for nobody. Parameters and
-- result as those of peek.
CREATE OR REPLACE FUNCTION message_queue.take(of_queue text, to_receiver text DEFAULT '', from_sender text DEFAULT NULL)
RETURNS TABLE (flags bigint, body bytea) LANGUAGE plpgsql SET enable_seqscan = off SET enable_sort = off AS $$
BEGIN
    IF from_sender IS NULL THEN
        RETURN QUERY DELETE FROM message_queue.message d
        WHERE d.receiver = to_receiver AND d.queue = of_queue AND d.id = (
            SELECT m.id FROM message_queue.message m
            WHERE m.receiver = to_receiver AND m.queue = of_queue
            ORDER BY m.id LIMIT 1 FOR UPDATE SKIP LOCKED
        ) RETURNING d.flags, d.body;
    ELSE
        RETURN QUERY DELETE FROM message_queue.message d
        WHERE d.receiver = to_receiver AND d.queue = of_queue AND d.id = (
            SELECT m.id FROM message_queue.message m
            WHERE m.receiver = to_receiver AND m.queue = of_queue AND m.sender = from_sender AND m.sender <> ''
            ORDER BY m.id LIMIT 1 FOR UPDATE SKIP LOCKED
        ) RETURNING d.flags, d.body;
    END IF;
END $$;
