// Every operation of github.com/bradfitz/gomemcache against one server; prints TAP.
//
//	prove 127.0.0.1:11211
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/bradfitz/gomemcache/memcache"
)

const largeBytes = 1<<20 - 512

type test struct {
	name string
	run  func(client *memcache.Client) error
}

var tests = []test{
	{"ping", func(client *memcache.Client) error { return client.Ping() }},
	{"a value comes back with its flags", setAndGet},
	{"a missing key is a miss", misses},
	{"a multi-get leaves missing keys out", getMulti},
	{"a multi-get of 500 keys", getManyKeys},
	{"add and replace depend on what is there", addAndReplace},
	{"append and prepend", appendAndPrepend},
	{"cas stores once and then conflicts", compareAndSwap},
	{"cas of a deleted key is a miss", compareAndSwapOfNothing},
	{"increment and decrement", incrementAndDecrement},
	{"touch and get-and-touch", touch},
	{"delete", remove},
	{"a value expires", expire},
	{"an empty value", func(client *memcache.Client) error { return roundTrip(client, "empty", nil) }},
	{"a value of all bytes and line ends", binary},
	{"a value of 1 MiB - 512 bytes", large},
	{"a value that is too large is refused, and the connection serves on", tooLarge},
	{"a key of 250 bytes", func(client *memcache.Client) error {
		return roundTrip(client, strings.Repeat("k", 250), []byte("value"))
	}},
	{"a key in Unicode", func(client *memcache.Client) error {
		return roundTrip(client, "schlüssel-鍵", []byte("value"))
	}},
	{"malformed keys are refused by the client", malformedKeys},
	{"flush_all", flushAll},
}

func main() {
	client := memcache.New(os.Args[1])
	client.Timeout = 5 * time.Second
	fmt.Printf("1..%d\n", len(tests))
	for _, test := range tests {
		if err := test.run(client); err != nil {
			fmt.Printf("not ok %s\n# %v\n", test.name, err)
		} else {
			fmt.Printf("ok %s\n", test.name)
		}
	}
}

func setAndGet(client *memcache.Client) error {
	if err := client.Set(&memcache.Item{Key: "plain", Value: []byte("value"), Flags: 42}); err != nil {
		return err
	}
	item, err := client.Get("plain")
	if err != nil {
		return err
	}
	return expect(fmt.Sprintf("%s %d", item.Value, item.Flags), "value 42")
}

func misses(client *memcache.Client) error {
	_, err := client.Get("missing")
	return expectError(err, memcache.ErrCacheMiss)
}

func getMulti(client *memcache.Client) error {
	if err := set(client, "one", "1", "two", "2"); err != nil {
		return err
	}
	items, err := client.GetMulti([]string{"one", "missing", "two"})
	if err != nil {
		return err
	}
	if len(items) != 2 || items["one"] == nil || items["two"] == nil {
		return fmt.Errorf("got %v", items)
	}
	return expect(string(items["one"].Value)+string(items["two"].Value), "12")
}

func getManyKeys(client *memcache.Client) error {
	keys := make([]string, 500)
	for i := range keys {
		keys[i] = fmt.Sprintf("many-%d", i)
		if err := set(client, keys[i], keys[i]); err != nil {
			return err
		}
	}
	items, err := client.GetMulti(keys)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if items[key] == nil || string(items[key].Value) != key {
			return fmt.Errorf("%s: got %v", key, items[key])
		}
	}
	return nil
}

func addAndReplace(client *memcache.Client) error {
	return all(
		forget(client, "added"),
		expectError(client.Replace(item("added", "0")), memcache.ErrNotStored),
		client.Add(item("added", "1")),
		expectError(client.Add(item("added", "2")), memcache.ErrNotStored),
		client.Replace(item("added", "3")),
		holds(client, "added", "3"),
	)
}

func appendAndPrepend(client *memcache.Client) error {
	return all(
		forget(client, "extended"),
		expectError(client.Append(item("extended", "x")), memcache.ErrNotStored),
		expectError(client.Prepend(item("extended", "x")), memcache.ErrNotStored),
		set(client, "extended", "b"),
		client.Append(item("extended", "c")),
		client.Prepend(item("extended", "a")),
		holds(client, "extended", "abc"),
	)
}

func compareAndSwap(client *memcache.Client) error {
	if err := set(client, "swapped", "1"); err != nil {
		return err
	}
	first, err := client.Get("swapped")
	if err != nil {
		return err
	}
	second := *first
	first.Value, second.Value = []byte("2"), []byte("3")
	return all(
		client.CompareAndSwap(first),
		expectError(client.CompareAndSwap(&second), memcache.ErrCASConflict),
		holds(client, "swapped", "2"),
	)
}

func compareAndSwapOfNothing(client *memcache.Client) error {
	if err := set(client, "swapped", "1"); err != nil {
		return err
	}
	item, err := client.Get("swapped")
	if err != nil {
		return err
	}
	return all(client.Delete("swapped"), expectError(client.CompareAndSwap(item), memcache.ErrCacheMiss))
}

func incrementAndDecrement(client *memcache.Client) error {
	if err := set(client, "counter", "10", "word", "x"); err != nil {
		return err
	}
	up, err := client.Increment("counter", 5)
	if err != nil {
		return err
	}
	down, err := client.Decrement("counter", 100)
	if err != nil {
		return err
	}
	_, missing := client.Increment("missing", 1)
	if _, err := client.Increment("word", 1); err == nil || !strings.Contains(err.Error(), "non-numeric") {
		return fmt.Errorf("increment of a word: %v", err)
	}
	return all(expect(fmt.Sprint(up, down), "15 0"), expectError(missing, memcache.ErrCacheMiss))
}

func touch(client *memcache.Client) error {
	if err := set(client, "touched", "1"); err != nil {
		return err
	}
	item, err := client.GetAndTouch("touched", 100)
	if err != nil {
		return err
	}
	_, missing := client.GetAndTouch("missing", 100)
	return all(
		expect(string(item.Value), "1"),
		client.Touch("touched", 100),
		expectError(client.Touch("missing", 100), memcache.ErrCacheMiss),
		expectError(missing, memcache.ErrCacheMiss),
	)
}

func remove(client *memcache.Client) error {
	return all(
		set(client, "deleted", "1"),
		client.Delete("deleted"),
		expectError(client.Delete("deleted"), memcache.ErrCacheMiss),
	)
}

func expire(client *memcache.Client) error {
	brief := &memcache.Item{Key: "brief", Value: []byte("1"), Expiration: 1}
	if err := all(client.Set(brief), set(client, "lasting", "1"), client.Touch("lasting", 1)); err != nil {
		return err
	}
	time.Sleep(2500 * time.Millisecond)
	for _, key := range []string{"brief", "lasting"} {
		if _, err := client.Get(key); !errors.Is(err, memcache.ErrCacheMiss) {
			return fmt.Errorf("%s is still there: %v", key, err)
		}
	}
	return nil
}

func binary(client *memcache.Client) error {
	value := []byte("\r\nEND\r\nVALUE x 0 1\r\n")
	for i := 0; i < 256; i++ {
		value = append(value, byte(i))
	}
	return roundTrip(client, "binary", value)
}

func large(client *memcache.Client) error {
	return roundTrip(client, "large", bytes.Repeat([]byte("0123456789abcdef"), largeBytes/16))
}

func tooLarge(client *memcache.Client) error {
	err := client.Set(&memcache.Item{Key: "too-large", Value: make([]byte, 1<<20+1)})
	if err == nil {
		return errors.New("stored")
	}
	_, missing := client.Get("too-large")
	return all(expectError(missing, memcache.ErrCacheMiss), roundTrip(client, "after", []byte("1")))
}

func malformedKeys(client *memcache.Client) error {
	for _, key := range []string{strings.Repeat("k", 251), "with space", "line\nend"} {
		if err := client.Set(item(key, "1")); !errors.Is(err, memcache.ErrMalformedKey) {
			return fmt.Errorf("%q: %v", key, err)
		}
	}
	return nil
}

func flushAll(client *memcache.Client) error {
	if err := all(set(client, "flushed", "1"), client.FlushAll()); err != nil {
		return err
	}
	_, err := client.Get("flushed")
	return expectError(err, memcache.ErrCacheMiss)
}

func item(key, value string) *memcache.Item {
	return &memcache.Item{Key: key, Value: []byte(value)}
}

func set(client *memcache.Client, keysAndValues ...string) error {
	for i := 0; i < len(keysAndValues); i += 2 {
		if err := client.Set(item(keysAndValues[i], keysAndValues[i+1])); err != nil {
			return err
		}
	}
	return nil
}

func forget(client *memcache.Client, key string) error {
	if err := client.Delete(key); err != nil && !errors.Is(err, memcache.ErrCacheMiss) {
		return err
	}
	return nil
}

func holds(client *memcache.Client, key, value string) error {
	found, err := client.Get(key)
	if err != nil {
		return err
	}
	return expect(string(found.Value), value)
}

func roundTrip(client *memcache.Client, key string, value []byte) error {
	if err := client.Set(&memcache.Item{Key: key, Value: value}); err != nil {
		return err
	}
	found, err := client.Get(key)
	if err != nil {
		return err
	}
	if !bytes.Equal(found.Value, value) {
		return fmt.Errorf("%d bytes came back as %d others", len(value), len(found.Value))
	}
	return nil
}

func expect(got, wanted string) error {
	if got != wanted {
		return fmt.Errorf("got %q instead of %q", got, wanted)
	}
	return nil
}

func expectError(got, wanted error) error {
	if !errors.Is(got, wanted) {
		return fmt.Errorf("got the error %v instead of %v", got, wanted)
	}
	return nil
}

// all returns the first outcome that is an error; they have all been tried.
func all(outcomes ...error) error {
	for _, err := range outcomes {
		if err != nil {
			return err
		}
	}
	return nil
}
