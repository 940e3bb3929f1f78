package io.ensemble.testkit.linearizability;

import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * A timeline of operations in characters: one row for each operation, time to the right, not to
 * scale.
 */
final class AsciiTimeline {
  private static final int WIDTH = 64;
  private static final int WIDEST_STEP = 4;
  private static final int LONGEST_LABEL = 48;

  private AsciiTimeline() {}

  /** Draws the operations, which are in the order of their calls, and marks {@code culprit}. */
  static String draw(List<HistoryOperation> operations, HistoryOperation culprit) {
    TreeSet<Long> times = new TreeSet<>();
    for (HistoryOperation operation : operations) {
      times.add(operation.callNanos());
      if (operation.outcome() == HistoryOutcome.OK) {
        times.add(operation.lastNanos());
      }
    }
    List<Long> columns = new ArrayList<>(times);
    int step = Math.max(2, Math.min(WIDEST_STEP, WIDTH / columns.size()));
    int end = columns.size() * step;
    int labelWidth = operations.stream().mapToInt(o -> label(o).length()).max().orElse(0);

    StringBuilder picture = new StringBuilder();
    for (HistoryOperation operation : operations) {
      boolean known = operation.outcome() == HistoryOutcome.OK;
      int from = columns.indexOf(operation.callNanos()) * step;
      int to = known ? columns.indexOf(operation.lastNanos()) * step : end;
      String bar =
          " ".repeat(from)
              + "["
              + (operation.equals(culprit) ? "#" : "=").repeat(Math.max(0, to - from - 1));
      bar += known ? "]" : "?";
      picture
          .append("  ")
          .append(pad(label(operation), labelWidth))
          .append("  ")
          .append(pad(bar, end + 1))
          .append("  ")
          .append(operation.callNanos())
          .append("..")
          .append(known ? operation.lastNanos() : "?")
          .append(operation.equals(culprit) ? "  <-- impossible" : "")
          .append(System.lineSeparator());
    }
    return picture.toString();
  }

  private static String label(HistoryOperation operation) {
    String text = "client " + operation.client() + "  " + operation.describe();
    return text.length() <= LONGEST_LABEL ? text : text.substring(0, LONGEST_LABEL - 3) + "...";
  }

  private static String pad(String text, int width) {
    return text + " ".repeat(Math.max(0, width - text.length()));
  }
}
