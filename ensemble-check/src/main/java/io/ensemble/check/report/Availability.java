package io.ensemble.check.report;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.ensemble.check.faults.FaultEvent;
import io.ensemble.check.faults.TrialFaultKind;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.OperationHistory;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The availability for clients while exactly one site was dead: killed as a whole and not yet up
 * again. Faults that leave a site running, even unreachable, do not count.
 *
 * @param seconds the total time during which one site was dead
 * @param operations the number of operations called during that time
 * @param answered the number of these that were answered within their deadlines
 */
public record Availability(double seconds, long operations, long answered) {

  private static final Set<String> SITE_KILLS =
      Set.of(TrialFaultKind.KILL.word(), TrialFaultKind.AMNESIA.word());

  /** The time from {@code fromNanos} to before {@code toNanos}, on the history's clock. */
  private record OutageSpan(long fromNanos, long toNanos) {
    boolean holds(long nanos) {
      return fromNanos <= nanos && nanos < toNanos;
    }
  }

  /** The share of operations that were answered; 1 where there were none. */
  @JsonProperty("share")
  public double share() {
    return operations == 0 ? 1 : (double) answered / operations;
  }

  /** The same in words. */
  public String inWords() {
    return operations == 0
        ? "no operation was started"
        : String.format(
            Locale.ROOT,
            "%.2f %% of %,d operations answered, in %.1f s",
            100 * share(),
            operations,
            seconds);
  }

  public static Availability of(OperationHistory history, List<FaultEvent> events) {
    List<OutageSpan> spans = spans(events);
    List<HistoryOperation> called =
        history.operations().stream()
            .filter(one -> spans.stream().anyMatch(span -> span.holds(one.callNanos())))
            .toList();
    long nanos = spans.stream().mapToLong(span -> span.toNanos() - span.fromNanos()).sum();
    return new Availability(
        Math.round(nanos / 1e8) / 1e1,
        called.size(),
        called.stream().filter(one -> one.outcome() == HistoryOutcome.OK).count());
  }

  private static List<OutageSpan> spans(List<FaultEvent> events) {
    List<OutageSpan> spans = new ArrayList<>();
    Set<String> dead = new HashSet<>();
    long since = 0;
    for (FaultEvent event : events) {
      boolean begins = event.phase().equals(FaultEvent.BEGIN);
      if (!SITE_KILLS.contains(event.kind()) || !(begins || event.phase().equals(FaultEvent.END))) {
        continue;
      }
      if (dead.size() == 1) {
        spans.add(new OutageSpan(since, event.atNanos()));
      }
      if (begins) {
        dead.add(event.site());
      } else {
        dead.remove(event.site());
      }
      since = event.atNanos();
    }
    return spans;
  }
}
