package io.ensemble.check.trial;

import org.jspecify.annotations.Nullable;

/** Counts the outcomes of operations. Thread-safe. */
public final class ClientOutcomeCounts {
  private long completed;
  private long refused;
  private long unknown;
  private long broken;
  private @Nullable String trouble;
  private long left;

  public synchronized void completed() {
    completed++;
  }

  public synchronized void refused() {
    refused++;
  }

  public synchronized void unknown() {
    unknown++;
  }

  /** An operation had an illegal end. */
  public synchronized void broken(String why) {
    broken++;
    if (trouble == null) {
      trouble = why;
    }
  }

  /** The store has this number of unreferenced entries. */
  public synchronized void left(long entries) {
    left = entries;
  }

  public synchronized ClientMessage say(String kind) {
    return new ClientMessage(kind, completed, refused, unknown, broken, trouble, left);
  }
}
