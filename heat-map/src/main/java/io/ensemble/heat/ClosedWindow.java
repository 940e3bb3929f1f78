package io.ensemble.heat;

/**
 * A window that has ended, to be published under a key of its own: no other window has the same
 * cache, process and beginning, so publishing it again changes nothing.
 *
 * @param client the id of the process
 * @param startMillis the beginning by the clock of the process, in milliseconds since 1970
 */
record ClosedWindow(String cache, String client, long startMillis, byte[] bytes) {

  /** The key of the entry. */
  String key() {
    return key(cache, client, startMillis);
  }

  static String key(String cache, String client, long startMillis) {
    return "window/" + client + "/" + startMillis + "/" + cache;
  }

  /** The key of an entry that lists processes of a cache. */
  static String clientsKey(String cache, int slot) {
    return "clients/" + slot + "/" + cache;
  }
}
