<?php
// Every operation of the PHP extension memcached (on libmemcached) against one server; prints TAP.
//
//     php prove.php 127.0.0.1 11211

const LARGE_BYTES = 1024 * 1024 - 512;

function expect(mixed $got, mixed $wanted): void
{
    if ($got !== $wanted) {
        $text = fn (mixed $value): string => substr(var_export($value, true), 0, 200);
        throw new RuntimeException("got {$text($got)} instead of {$text($wanted)}");
    }
}

function roundTrip(Memcached $client, string $key, string $value): void
{
    expect($client->set($key, $value), true);
    expect($client->get($key), $value);
}

function connect(bool $isNoReply = false, bool $isBuffering = false): Memcached
{
    global $argv;
    $client = new Memcached();
    $client->setOption(Memcached::OPT_BINARY_PROTOCOL, false);
    $client->setOption(Memcached::OPT_COMPRESSION, false);
    $client->setOption(Memcached::OPT_NOREPLY, $isNoReply);
    $client->setOption(Memcached::OPT_BUFFER_WRITES, $isBuffering);
    $client->setOption(Memcached::OPT_POLL_TIMEOUT, 5000);
    $client->addServer($argv[1], (int) $argv[2]);
    return $client;
}

$tests = [
    'version' => function (Memcached $client): void {
        expect(preg_match('/^\d+\.\d+\.\d+/', current($client->getVersion())), 1);
    },
    'values of all types come back' => function (Memcached $client): void {
        foreach (['text', 17, -1.5, true, false, ['a' => [1, 2]], null] as $value) {
            expect($client->set('typed', $value), true);
            expect($client->get('typed'), $value);
            expect($client->getResultCode(), Memcached::RES_SUCCESS);
        }
    },
    'a missing key is a miss' => function (Memcached $client): void {
        expect($client->get('missing'), false);
        expect($client->getResultCode(), Memcached::RES_NOTFOUND);
    },
    'a multi-get keeps the order and leaves missing keys out' => function (Memcached $client): void {
        expect($client->setMulti(['one' => '1', 'two' => '2']), true);
        expect($client->getMulti(['two', 'missing', 'one']), ['two' => '2', 'one' => '1']);
    },
    'a multi-get of 500 keys' => function (Memcached $client): void {
        $values = [];
        foreach (range(1, 500) as $number) {
            $values["many-$number"] = str_repeat((string) $number, 20);
        }
        expect($client->setMulti($values), true);
        expect($client->getMulti(array_keys($values)), $values);
    },
    'a delayed multi-get is fetched one by one' => function (Memcached $client): void {
        expect($client->setMulti(['one' => '1', 'two' => '2']), true);
        expect($client->getDelayed(['one', 'two']), true);
        $found = array_column($client->fetchAll(), 'value', 'key');
        ksort($found);
        expect($found, ['one' => '1', 'two' => '2']);
    },
    'add and replace depend on what is there' => function (Memcached $client): void {
        $client->delete('added');
        expect($client->replace('added', '0'), false);
        expect($client->getResultCode(), Memcached::RES_NOTSTORED);
        expect($client->add('added', '1'), true);
        expect($client->add('added', '2'), false);
        expect($client->getResultCode(), Memcached::RES_NOTSTORED);
        expect($client->replace('added', '3'), true);
        expect($client->get('added'), '3');
    },
    'append and prepend' => function (Memcached $client): void {
        $client->delete('extended');
        expect($client->append('extended', 'x'), false);
        expect($client->set('extended', 'b'), true);
        expect($client->append('extended', 'c'), true);
        expect($client->prepend('extended', 'a'), true);
        expect($client->get('extended'), 'abc');
    },
    'cas stores once and then conflicts' => function (Memcached $client): void {
        expect($client->set('swapped', '1'), true);
        $token = $client->get('swapped', null, Memcached::GET_EXTENDED)['cas'];
        expect($client->cas($token, 'swapped', '2'), true);
        expect($client->cas($token, 'swapped', '3'), false);
        expect($client->getResultCode(), Memcached::RES_DATA_EXISTS);
        expect($client->get('swapped'), '2');
    },
    'cas of a deleted key is a miss' => function (Memcached $client): void {
        expect($client->set('swapped', '1'), true);
        $token = $client->get('swapped', null, Memcached::GET_EXTENDED)['cas'];
        expect($client->delete('swapped'), true);
        expect($client->cas($token, 'swapped', '2'), false);
        expect($client->getResultCode(), Memcached::RES_NOTFOUND);
    },
    'a multi-get with cas tokens' => function (Memcached $client): void {
        expect($client->setMulti(['one' => '1', 'two' => '2']), true);
        $found = $client->getMulti(['one', 'two'], Memcached::GET_EXTENDED);
        expect($client->cas($found['two']['cas'], 'two', '3'), true);
        expect($client->get('two'), '3');
    },
    'increment and decrement' => function (Memcached $client): void {
        $client->delete('counter');
        expect($client->increment('counter'), false);
        expect($client->getResultCode(), Memcached::RES_NOTFOUND);
        expect($client->set('counter', 10), true);
        expect($client->increment('counter', 5), 15);
        expect($client->decrement('counter', 100), 0);
        expect($client->set('counter', 'word'), true);
        expect($client->increment('counter'), false);
    },
    'touch' => function (Memcached $client): void {
        expect($client->set('touched', '1'), true);
        expect($client->touch('touched', 100), true);
        $client->delete('touched');
        expect($client->touch('touched', 100), false);
        expect($client->getResultCode(), Memcached::RES_NOTFOUND);
    },
    'delete, of one key and of several' => function (Memcached $client): void {
        expect($client->setMulti(['one' => '1', 'two' => '2', 'deleted' => '3']), true);
        expect($client->delete('deleted'), true);
        expect($client->delete('deleted'), false);
        expect($client->getResultCode(), Memcached::RES_NOTFOUND);
        expect($client->deleteMulti(['one', 'two']), ['one' => true, 'two' => true]);
    },
    'a value expires' => function (Memcached $client): void {
        expect($client->set('brief', '1', 1), true);
        expect($client->set('lasting', '1'), true);
        expect($client->touch('lasting', 1), true);
        usleep(2_500_000);
        expect($client->getMulti(['brief', 'lasting']), []);
    },
    'an empty value' => fn (Memcached $client) => roundTrip($client, 'empty', ''),
    'a value of all bytes and line ends' => function (Memcached $client): void {
        roundTrip($client, 'binary', "\r\nEND\r\nVALUE x 0 1\r\n" . implode(array_map('chr', range(0, 255))));
    },
    'a value of 1 MiB - 512 bytes' => function (Memcached $client): void {
        roundTrip($client, 'large', random_bytes(LARGE_BYTES));
    },
    'a value that is too large is refused, and the client works on' => function (Memcached $client): void {
        expect($client->set('too-large', str_repeat('x', 1024 * 1024 + 1)), false);
        expect($client->get('too-large'), false);
        roundTrip($client, 'after', '1');
    },
    'a compressed value' => function (Memcached $client): void {
        $client->setOption(Memcached::OPT_COMPRESSION, true);
        roundTrip($client, 'compressed', str_repeat('compress me ', 10_000));
    },
    'a key of 250 bytes' => fn (Memcached $client) => roundTrip($client, str_repeat('k', 250), '1'),
    'malformed keys are refused by the client' => function (Memcached $client): void {
        $client->setOption(Memcached::OPT_VERIFY_KEY, true);
        foreach ([str_repeat('k', 251), 'with space', "line\nend", 'schlüssel-鍵', ''] as $key) {
            expect($client->set($key, '1'), false);
            expect($client->getResultCode(), Memcached::RES_BAD_KEY_PROVIDED);
        }
    },
    'a key with a prefix' => function (Memcached $client): void {
        $client->setOption(Memcached::OPT_PREFIX_KEY, 'prefix:');
        roundTrip($client, 'prefixed', '1');
    },
    'sets without reply' => function (Memcached $client): void {
        $silent = connect(isNoReply: true);
        foreach (range(1, 200) as $number) {
            expect($silent->set('silent', (string) $number), true);
        }
        expect($silent->get('silent'), '200');
        expect($client->get('silent'), '200');
    },
    'buffered writes' => function (Memcached $client): void {
        $buffering = connect(isBuffering: true);
        foreach (range(1, 200) as $number) {
            expect($buffering->set("buffered-$number", (string) $number), true);
        }
        expect($buffering->flushBuffers(), true);
        expect($buffering->get('buffered-200'), '200');
    },
    'stats' => function (Memcached $client): void {
        expect(current($client->getStats())['cmd_get'] > 0, true);
    },
    'flush_all' => function (Memcached $client): void {
        expect($client->set('flushed', '1'), true);
        expect($client->flush(), true);
        expect($client->get('flushed'), false);
    },
];

printf("1..%d\n", count($tests));
foreach ($tests as $name => $test) {
    try {
        $test(connect());
        print "ok $name\n";
    } catch (Throwable $failure) {
        print "not ok $name\n# {$failure->getMessage()}, line {$failure->getTrace()[0]['line']}\n";
    }
}
