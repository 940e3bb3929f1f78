package io.ensemble.benchmarks;

import java.util.Map;
import java.util.TreeMap;

/**
 * The failures of a run: every failure is counted by kind, and the first of each kind is printed on
 * standard error. Thread-safe.
 */
final class FailureLog {

  /** A run that has failed is useless; some more failures show whether they are of one kind. */
  private static final int ENOUGH = 50;

  private final Map<String, Integer> kinds = new TreeMap<>();
  private final Map<String, String> firsts = new TreeMap<>();
  private Runnable stop = () -> {};
  private int total;

  /** Sets the action that ends the present phase, once there are enough failures. */
  synchronized void setStopAction(Runnable stopPhase) {
    stop = stopPhase;
  }

  /** An operation ended by an exception. */
  void failed(String operation, String key, RuntimeException failure) {
    count(failure.getClass().getSimpleName(), operation + " key=" + key + ": " + failure);
  }

  /** An operation succeeded with a wrong result. */
  void wrong(String kind, String operation, String key) {
    count(kind, operation + " key=" + key);
  }

  private void count(String kind, String what) {
    Runnable then = null;
    synchronized (this) {
      total++;
      kinds.merge(kind, 1, Integer::sum);
      if (firsts.putIfAbsent(kind, what) == null) {
        System.err.println("ycsb: failed: " + kind + ": " + what);
      }
      if (total == ENOUGH) {
        then = stop;
      }
    }
    if (then != null) {
      then.run();
    }
  }

  /** The number of failures of each kind. */
  synchronized Map<String, Integer> kinds() {
    return Map.copyOf(kinds);
  }

  /** The first of each kind, in words. */
  synchronized Map<String, String> firsts() {
    return Map.copyOf(firsts);
  }

  /** The total number of failures. */
  synchronized int total() {
    return total;
  }
}
