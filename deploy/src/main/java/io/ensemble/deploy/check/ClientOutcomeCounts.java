package io.ensemble.deploy.check;

import org.jspecify.annotations.Nullable;

/** Counts how operations ended. Thread-safe. */
final class ClientOutcomeCounts {
  private long completed;
  private long refused;
  private long unknown;
  private long broken;
  private @Nullable String trouble;
  private long left;

  synchronized void completed() {
    completed++;
  }

  synchronized void refused() {
    refused++;
  }

  synchronized void unknown() {
    unknown++;
  }

  /** An operation ended as none may. */
  synchronized void broken(String why) {
    broken++;
    if (trouble == null) {
      trouble = why;
    }
  }

  /** So many entries are in the store that nothing refers to. */
  synchronized void left(long entries) {
    left = entries;
  }

  synchronized ClientMessage say(String word) {
    return new ClientMessage(word, completed, refused, unknown, broken, trouble, left);
  }
}
