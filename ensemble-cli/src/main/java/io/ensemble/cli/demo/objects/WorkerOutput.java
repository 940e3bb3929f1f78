package io.ensemble.cli.demo.objects;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** The output of the workers, in the order of its arrival. Thread-safe. */
final class WorkerOutput {

  /**
   * A line.
   *
   * @param worker the worker that printed it
   * @param at the time of its arrival
   */
  record Line(String worker, String text, long at) {

    boolean beginsWith(String word) {
      return text.equals(word) || text.startsWith(word + " ");
    }
  }

  private final List<Line> lines = new ArrayList<>();

  synchronized void addLine(String worker, String text) {
    lines.add(new Line(worker, text, System.nanoTime()));
    notifyAll();
  }

  /** Waits until {@code count} lines match {@code filter}; returns false if that takes too long. */
  synchronized boolean await(int count, Predicate<Line> filter, long seconds)
      throws InterruptedException {
    long end = System.nanoTime() + seconds * 1_000_000_000L;
    while (all(filter).size() < count) {
      long left = (end - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        return false;
      }
      wait(left);
    }
    return true;
  }

  synchronized List<Line> all(Predicate<Line> filter) {
    return lines.stream().filter(filter).toList();
  }

  /** The distinct numbers after a word, in all lines that begin with it. */
  Set<Long> distinctNumbers(String word, int place) {
    Set<Long> numbers = new HashSet<>();
    all(l -> l.beginsWith(word))
        .forEach(l -> numbers.add(Long.parseLong(l.text.split(" ", -1)[place])));
    return numbers;
  }
}
