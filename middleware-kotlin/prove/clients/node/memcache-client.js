// Every operation of the npm package memcache-client against one server; prints TAP.
//
//     node memcache-client.js 127.0.0.1 11211
"use strict";

const assert = require("node:assert/strict");
const { setTimeout: sleep } = require("node:timers/promises");
const { MemcacheClient } = require("memcache-client");

const LARGE_BYTES = 1024 * 1024 - 512;
const [, , host, port] = process.argv;
const client = new MemcacheClient({ server: `${host}:${port}`, cmdTimeout: 5000 });

const valueOf = async (key) => (await client.get(key))?.value;

async function roundTrip(key, value, options) {
  await client.set(key, value, options);
  assert.deepEqual(await valueOf(key), value);
}

const tests = {
  "version": async () => assert.match((await client.version()).join(" "), /^VERSION \d/),
  "values of all types come back": async () => {
    for (const value of ["text", 17, { a: [1, 2] }, Buffer.from([0, 13, 10, 255])]) await roundTrip("typed", value);
  },
  "a missing key is a miss": async () => assert.equal(await client.get("missing"), undefined),
  "a multi-get leaves missing keys out": async () => {
    await Promise.all([client.set("one", "1"), client.set("two", "2")]);
    const found = await client.get(["one", "missing", "two"]);
    assert.deepEqual(Object.keys(found).sort(), ["one", "two"]);
    assert.equal(found.one.value + found.two.value, "12");
  },
  "a multi-get of 500 keys": async () => {
    const keys = Array.from({ length: 500 }, (_, number) => `many-${number}`);
    await Promise.all(keys.map((key) => client.set(key, key)));
    const found = await client.get(keys);
    for (const key of keys) assert.equal(found[key].value, key);
  },
  "1000 requests at once are answered in order": async () => {
    const numbers = Array.from({ length: 500 }, (_, number) => number);
    const answers = await Promise.all(
      numbers.flatMap((number) => [client.set("ahead", `${number}`), valueOf("ahead")])
    );
    assert.deepEqual(answers.filter((_, i) => i % 2 === 1), numbers.map(String));
  },
  "add and replace depend on what is there": async () => {
    await client.delete("added").catch(() => {});
    await assert.rejects(client.replace("added", "0"), /NOT_STORED/);
    await client.add("added", "1");
    await assert.rejects(client.add("added", "2"), /NOT_STORED/);
    await client.replace("added", "3");
    assert.equal(await valueOf("added"), "3");
  },
  "append and prepend": async () => {
    await client.delete("extended").catch(() => {});
    await assert.rejects(client.append("extended", "x"), /NOT_STORED/);
    await client.set("extended", "b");
    await client.append("extended", "c");
    await client.prepend("extended", "a");
    assert.equal(await valueOf("extended"), "abc");
  },
  "cas stores once and then conflicts": async () => {
    await client.set("swapped", "1");
    const { casUniq } = await client.gets("swapped");
    await client.cas("swapped", "2", { casUniq });
    await assert.rejects(client.cas("swapped", "3", { casUniq }), /EXISTS/);
    assert.equal(await valueOf("swapped"), "2");
  },
  "cas of a deleted key is a miss": async () => {
    await client.set("swapped", "1");
    const { casUniq } = await client.gets("swapped");
    await client.delete("swapped");
    await assert.rejects(client.cas("swapped", "2", { casUniq }), /NOT_FOUND/);
  },
  "increment and decrement": async () => {
    await client.set("counter", "10");
    assert.equal(Number(await client.incr("counter", 5)), 15);
    assert.equal(Number(await client.decr("counter", 100)), 0);
    await client.delete("counter");
    await assert.rejects(client.incr("counter", 1), /NOT_FOUND/);
    await client.set("counter", "word");
    await assert.rejects(client.incr("counter", 1), /non-numeric/);
  },
  "touch": async () => {
    await client.set("touched", "1");
    assert.deepEqual(await client.touch("touched", 100), ["TOUCHED"]);
    await client.delete("touched");
    await assert.rejects(client.touch("touched", 100), /NOT_FOUND/);
  },
  "delete": async () => {
    await client.set("deleted", "1");
    await client.delete("deleted");
    await assert.rejects(client.delete("deleted"), /NOT_FOUND/);
  },
  "a value expires": async () => {
    await client.set("brief", "1", { lifetime: 1 });
    await client.set("lasting", "1");
    await client.touch("lasting", 1);
    await sleep(2500);
    assert.equal(await client.get("brief"), undefined);
    assert.equal(await client.get("lasting"), undefined);
  },
  "an empty value": () => roundTrip("empty", ""),
  "a value of all bytes and line ends": () =>
    roundTrip("binary", Buffer.from(Array.from({ length: 512 }, (_, i) => (i % 2 ? i >> 1 : 13 - (i % 4))))),
  "a value of 1 MiB - 512 bytes": () => roundTrip("large", Buffer.alloc(LARGE_BYTES, "0123456789")),
  "a value that is too large is refused, and the client works on": async () => {
    await assert.rejects(client.set("too-large", Buffer.alloc(1024 * 1024 + 1, "x")), /too large/);
    await roundTrip("after", "1");
  },
  "a key of 250 bytes": () => roundTrip("k".repeat(250), "1"),
  "a key in Unicode": () => roundTrip("schlüssel-鍵", "1"),
  "a key of 251 bytes is refused": async () => {
    // On a connection of its own: memcached takes the value for a command, and answers that, too.
    const other = new MemcacheClient({ server: `${host}:${port}`, cmdTimeout: 5000 });
    await assert.rejects(other.set("k".repeat(251), "1"), /CLIENT_ERROR/);
    other.shutdown();
  },
  "changes without reply": async () => {
    for (let number = 0; number < 200; number++) client.set("silent", `${number}`, { noreply: true });
    assert.equal(await valueOf("silent"), "199");
  },
  "stats": async () => {
    const stats = Object.fromEntries((await client.cmd("stats")).STAT.map((words) => [words[0], words[1]]));
    assert.ok(Number(stats.cmd_get) > 0);
  },
  "flush_all": async () => {
    await client.set("flushed", "1");
    assert.deepEqual(await client.cmd("flush_all"), ["OK"]);
    assert.equal(await client.get("flushed"), undefined);
  },
};

async function main() {
  console.log(`1..${Object.keys(tests).length}`);
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test();
      console.log(`ok ${name}`);
    } catch (failure) {
      console.log(`not ok ${name}\n# ${String(failure.message).split("\n").slice(0, 3).join(" ")}`);
    }
  }
  client.shutdown();
}

main();
