package io.ensemble.testkit.listen;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.NullNode;
import io.ensemble.ChangeEvent.GapReason;
import io.ensemble.ChangeStamp;
import io.ensemble.Mode;
import io.ensemble.stamp.Stamp;
import io.ensemble.testkit.history.HistoryNote;
import io.ensemble.testkit.history.HistoryNote.ChangeReceived;
import io.ensemble.testkit.history.HistoryNote.GapReceived;
import io.ensemble.testkit.history.HistoryNote.StampReturned;
import io.ensemble.testkit.history.HistoryNote.StreamEnded;
import io.ensemble.testkit.history.HistoryNote.StreamOpened;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.OperationHistory;
import io.ensemble.testkit.listen.StreamViolation.Rule;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Judges the streams of a history of registers.
 *
 * <p>A listener that was restarted is judged by its <em>path</em>: the events of each of its
 * streams up to the position from which the next one resumed, and then those of the last one.
 * Events after a saved position were received, but their effects count as lost with the process. So
 * the next stream may show them again.
 *
 * <p>A change is matched with its write by its value, so each value must be written once to a key;
 * a value that several operations may have written is judged by its stamp only. The rules of each
 * mode:
 *
 * <ul>
 *   <li>all modes: each change at most once, in the order of stamps, with a value that an operation
 *       wrote that was not refused. A WEAK cache whose configuration changed may show a repeated
 *       conditional operation twice, and a refused one
 *   <li>MWMR: each acknowledged write is shown or covered by a gap
 *   <li>SWMR and WEAK: each acknowledged write is shown, or covered by a gap, or a later write of
 *       the key is shown
 *   <li>MWMR and SWMR: a write that returned before another was called is not shown after it, and
 *       {@link #bounded} must be linearizable: a change is not shown before a read can return it
 * </ul>
 *
 * <p>A gap covers writes within its bounds that were called before it was received. If its reason
 * promises the last change of each key, it covers a write only if another write of the key may have
 * followed, or if the key is shown without the value that the write removed.
 *
 * <p>Losses are judged only of streams that were read to an end, see {@link StreamEnded}.
 */
public final class StreamChecker {

  private static final Set<String> CONDITIONAL =
      Set.of("put_if_absent", "replace", "cas", "remove_if");
  private static final Set<String> REMOVALS = Set.of("delete", "get_and_remove", "remove_if");
  private static final Set<String> WRITES = Set.of("write", "swap", "put_if_absent", "replace");

  /** Gaps that may hide only writes that were overwritten. */
  private static final Set<GapReason> SHOW_LAST =
      Set.of(GapReason.RESUMED, GapReason.RECONFIGURED, GapReason.OVERWRITTEN);

  /** Identifies an operation: a client has one at a time. */
  private record CallId(long client, long callNanos) {}

  private record KeyValue(String key, JsonNode value) {}

  private record KeyStamp(String key, Stamp stamp) {}

  /** A stream with its events in order. */
  private static final class Recorded {
    final StreamOpened opened;
    final List<HistoryNote> events = new ArrayList<>();
    @Nullable StreamEnded ended;

    Recorded(StreamOpened opened) {
      this.opened = opened;
    }
  }

  /** What a path has shown of one key. */
  private static final class KeyProgress {
    final Set<JsonNode> values = new HashSet<>();
    @Nullable ChangeStamp last;

    /** The latest call of a write that was shown. */
    long latestCall = Long.MIN_VALUE;
  }

  /** The events of a path by key; gaps of all keys are under no key. */
  private static final class PathIndex {
    final Map<String, List<ChangeReceived>> changes = new HashMap<>();
    final Map<String, List<GapReceived>> gaps = new HashMap<>();
    final List<GapReceived> gapsOfAll = new ArrayList<>();

    PathIndex(List<HistoryNote> events) {
      for (HistoryNote event : events) {
        if (event instanceof ChangeReceived change) {
          changes.computeIfAbsent(change.key(), key -> new ArrayList<>()).add(change);
        } else if (event instanceof GapReceived gap) {
          String key = gap.key();
          (key == null ? gapsOfAll : gaps.computeIfAbsent(key, one -> new ArrayList<>())).add(gap);
        }
      }
    }

    List<ChangeReceived> changes(String key) {
      return changes.getOrDefault(key, List.of());
    }

    List<GapReceived> gaps(String key) {
      return gaps.getOrDefault(key, List.of());
    }
  }

  private final OperationHistory history;
  private final Map<Long, Recorded> streams = new TreeMap<>();
  private final Map<CallId, Stamp> stamps = new HashMap<>();

  /** The writes by their values; empty lists are never kept. */
  private final Map<KeyValue, List<HistoryOperation>> writers = new HashMap<>();

  /** By key, the operations that write or remove, whatever their outcome. */
  private final Map<String, List<HistoryOperation>> writes = new HashMap<>();

  /** The configurations of all changes and gaps. */
  private final Set<Long> configurations = new HashSet<>();

  private final List<StreamViolation> violations = new ArrayList<>();

  private StreamChecker(OperationHistory history) {
    this.history = history;
    for (HistoryNote note : history.notes()) {
      if (note instanceof StreamOpened opened) {
        if (streams.put(opened.stream(), new Recorded(opened)) != null) {
          throw new IllegalArgumentException(
              "expected each stream once, got two of number " + opened.stream());
        }
      } else if (note instanceof StampReturned stamp) {
        stamps.put(new CallId(stamp.client(), stamp.callNanos()), stamp.stamp());
      }
    }
    for (HistoryNote note : history.notes()) {
      if (note instanceof ChangeReceived change) {
        stream(change.stream()).events.add(change);
        configurations.add(change.stamp().configuration());
      } else if (note instanceof GapReceived gap) {
        stream(gap.stream()).events.add(gap);
        configurations.add(gap.before().configuration());
        if (!gap.after().equals(ChangeStamp.NONE)) {
          configurations.add(gap.after().configuration());
        }
      } else if (note instanceof StreamEnded ended) {
        stream(ended.stream()).ended = ended;
      }
    }
    streams
        .values()
        .forEach(one -> one.events.sort(Comparator.comparingLong(StreamChecker::number)));
    for (HistoryOperation operation : history.operations()) {
      JsonNode value = written(operation);
      if (value != null) {
        writers
            .computeIfAbsent(new KeyValue(operation.key(), value), one -> new ArrayList<>(1))
            .add(operation);
      }
      if (value != null || isRemoval(operation)) {
        writes.computeIfAbsent(operation.key(), key -> new ArrayList<>()).add(operation);
      }
    }
  }

  private boolean isReconfigured() {
    return configurations.size() > 1;
  }

  private Recorded stream(long number) {
    Recorded found = streams.get(number);
    if (found == null) {
      throw new IllegalArgumentException(
          "expected a line of kind opened for stream " + number + ", got none");
    }
    return found;
  }

  private static long number(HistoryNote event) {
    return event instanceof ChangeReceived change
        ? change.number()
        : ((GapReceived) event).number();
  }

  /** The value that the operation writes if it is applied; null if it writes none. */
  private static @Nullable JsonNode written(HistoryOperation operation) {
    if (WRITES.contains(operation.op())) {
      return operation.in();
    }
    if (operation.op().equals("cas") && operation.in().size() == 2) {
      JsonNode value = operation.in().get(1);
      return value.isNull() ? null : value;
    }
    return null;
  }

  /** Whether the operation removes its key if it is applied. */
  private static boolean isRemoval(HistoryOperation operation) {
    return REMOVALS.contains(operation.op())
        || operation.op().equals("cas") && written(operation) == null;
  }

  /**
   * What contradicts the guarantees, in the order of the streams; empty if nothing does. Does not
   * include what {@link #bounded} shows.
   *
   * @throws IllegalArgumentException if an event belongs to no stream
   */
  public static List<StreamViolation> check(OperationHistory history) {
    StreamChecker checker = new StreamChecker(history);
    checker.streams.values().forEach(checker::judge);
    return List.copyOf(checker.violations);
  }

  /** The numbers of streams and events. */
  public static StreamSummary summary(OperationHistory history) {
    StreamChecker checker = new StreamChecker(history);
    Map<String, Long> gaps =
        history.notes().stream()
            .filter(GapReceived.class::isInstance)
            .map(note -> ((GapReceived) note).reason().name().toLowerCase(Locale.ROOT))
            .collect(Collectors.groupingBy(reason -> reason, TreeMap::new, Collectors.counting()));
    return new StreamSummary(
        checker.streams.values().stream().map(one -> one.opened.listener()).distinct().count(),
        checker.streams.size(),
        history.notes().stream().filter(ChangeReceived.class::isInstance).count(),
        gaps);
  }

  // Events.

  private void judge(Recorded stream) {
    Map<String, KeyProgress> shown = new HashMap<>();
    List<HistoryNote> path = before(stream);
    for (HistoryNote event : path) {
      if (event instanceof ChangeReceived change) {
        advance(shown, change);
      }
    }
    for (HistoryNote event : stream.events) {
      if (event instanceof ChangeReceived change) {
        judge(stream, shown.getOrDefault(change.key(), new KeyProgress()), change);
        advance(shown, change);
      }
    }
    path.addAll(stream.events);
    StreamEnded ended = stream.ended;
    if (ended != null && ended.coversNanos() != null) {
      judgeLosses(stream, new PathIndex(path), ended.coversNanos());
    }
  }

  /** The events of the listener before the stream, up to the positions that were saved. */
  private List<HistoryNote> before(Recorded stream) {
    List<HistoryNote> events = new ArrayList<>();
    Set<Long> met = new HashSet<>();
    Recorded one = stream;
    while (one.opened.fromStream() != null) {
      if (!met.add(one.opened.stream())) {
        throw new IllegalArgumentException(
            "expected a stream to resume from an earlier one, got a cycle of " + met);
      }
      long last = one.opened.fromNumber();
      Recorded former = stream(one.opened.fromStream());
      events.addAll(0, former.events.stream().filter(event -> number(event) <= last).toList());
      one = former;
    }
    return events;
  }

  private void advance(Map<String, KeyProgress> shown, ChangeReceived change) {
    KeyProgress key = shown.computeIfAbsent(change.key(), one -> new KeyProgress());
    if (key.last == null || change.stamp().isAfter(key.last)) {
      key.last = change.stamp();
    }
    if (!change.value().isNull()) {
      key.values.add(change.value());
      HistoryOperation write = onlyWriter(change);
      if (write != null) {
        key.latestCall = Math.max(key.latestCall, write.callNanos());
      }
    }
  }

  /** The write of the change; null if none or several operations may be it. */
  private @Nullable HistoryOperation onlyWriter(ChangeReceived change) {
    List<HistoryOperation> all = writersOf(change);
    return all.size() == 1 ? all.get(0) : null;
  }

  private List<HistoryOperation> writersOf(ChangeReceived change) {
    return writers.getOrDefault(new KeyValue(change.key(), change.value()), List.of());
  }

  private void judge(Recorded stream, KeyProgress key, ChangeReceived change) {
    boolean isLenient = isLenient(stream);
    HistoryOperation write = onlyWriter(change);
    if (!change.value().isNull()) {
      if (writersOf(change).stream().noneMatch(one -> one.callNanos() <= change.atNanos())) {
        add(Rule.WRITTEN, stream, change, write, "no operation had written the value by then");
      } else if (write != null && isWithoutEffect(write) && !isLenient) {
        add(Rule.WRITTEN, stream, change, write, "the write was refused");
      }
    }
    ChangeStamp last = key.last;
    boolean isShown = write != null && key.values.contains(change.value());
    boolean mayRepeat = isLenient && write != null && CONDITIONAL.contains(write.op());
    if (isShown && !mayRepeat || change.stamp().equals(last)) {
      add(Rule.ONCE, stream, change, write, "the change was shown before");
    } else if (last != null && !change.stamp().isAfter(last)) {
      add(
          Rule.ORDER,
          stream,
          change,
          write,
          "a change with the stamp " + last + " was shown before");
    } else if (stream.opened.mode() != Mode.WEAK
        && write != null
        && write.lastNanos() < key.latestCall) {
      add(
          Rule.ORDER,
          stream,
          change,
          write,
          "a write that was called after this one had returned was shown before");
    }
    Stamp returned = write == null ? null : stampOf(write);
    if (returned != null && !isReconfigured() && !returned.equals(change.stamp().stamp())) {
      add(Rule.STAMP, stream, change, write, "the writer received the stamp " + returned);
    }
  }

  /** Whether a conditional operation that was refused may have taken effect, or may have twice. */
  private boolean isLenient(Recorded stream) {
    return stream.opened.mode() == Mode.WEAK && isReconfigured();
  }

  private @Nullable Stamp stampOf(HistoryOperation operation) {
    return stamps.get(new CallId(operation.client(), operation.callNanos()));
  }

  /** Whether the operation certainly wrote nothing. */
  private static boolean isWithoutEffect(HistoryOperation operation) {
    return operation.outcome() == HistoryOutcome.REFUSED
        || operation.outcome() == HistoryOutcome.OK
            && CONDITIONAL.contains(operation.op())
            && operation.out().equals(BooleanNode.FALSE);
  }

  private void add(
      Rule rule,
      Recorded stream,
      ChangeReceived change,
      @Nullable HistoryOperation write,
      String why) {
    violations.add(
        new StreamViolation(
            rule,
            change.stream(),
            change.key(),
            write,
            "listener %d, stream %d, event %d: key %s = %s at %s: %s"
                .formatted(
                    stream.opened.listener(),
                    change.stream(),
                    change.number(),
                    change.key(),
                    change.value(),
                    change.stamp(),
                    why)));
  }

  // Losses.

  private void judgeLosses(Recorded stream, PathIndex path, long coversNanos) {
    long readyNanos = root(stream).opened.readyNanos();
    for (HistoryOperation operation : history.operations()) {
      Stamp stamp = stampOf(operation);
      boolean isDue =
          isAcknowledgedWrite(operation, stamp)
              && operation.callNanos() > readyNanos
              && operation.lastNanos() <= coversNanos;
      if (isDue
          && !isShown(path, operation, stamp)
          && !isInGap(stream, path, operation, stamp)
          && !(stream.opened.mode() != Mode.MWMR && isOverwritten(path, operation, stamp))) {
        boolean isAtRestart = isAtRestart(stream, operation);
        violations.add(
            new StreamViolation(
                isAtRestart ? Rule.POSITION : Rule.COMPLETE,
                stream.opened.stream(),
                operation.key(),
                operation,
                "listener %d, stream %d: %s on key %s%s is neither shown nor covered by a gap%s"
                    .formatted(
                        stream.opened.listener(),
                        stream.opened.stream(),
                        operation.describe(),
                        operation.key(),
                        stamp == null ? "" : " at " + stamp,
                        isAtRestart ? "; it was made while the listener was restarted" : "")));
      }
    }
  }

  private Recorded root(Recorded stream) {
    Recorded one = stream;
    while (one.opened.fromStream() != null) {
      one = stream(one.opened.fromStream());
    }
    return one;
  }

  /** Without a stamp, only an unconditional write, or a condition that held, is one for certain. */
  private static boolean isAcknowledgedWrite(HistoryOperation operation, @Nullable Stamp stamp) {
    if (operation.outcome() != HistoryOutcome.OK) {
      return false;
    }
    boolean isOfValue = written(operation) != null && !isWithoutEffect(operation);
    return stamp == null
        ? isOfValue
        : isOfValue || REMOVALS.contains(operation.op()) || operation.op().equals("cas");
  }

  private static boolean isShown(
      PathIndex path, HistoryOperation operation, @Nullable Stamp stamp) {
    JsonNode value = written(operation);
    return path.changes(operation.key()).stream()
        .anyMatch(
            change ->
                change.value().equals(value)
                    || stamp != null && change.stamp().stamp().equals(stamp));
  }

  private boolean isInGap(
      Recorded stream, PathIndex path, HistoryOperation operation, @Nullable Stamp stamp) {
    return Stream.concat(path.gaps(operation.key()).stream(), path.gapsOfAll.stream())
        .filter(gap -> isWithin(gap, operation, stamp))
        .anyMatch(
            gap ->
                !SHOW_LAST.contains(gap.reason())
                    || isPerhapsFollowed(stream, gap, operation, stamp)
                    || isRemoval(operation) && isShownAbsent(path, gap, operation.key()));
  }

  /**
   * Whether the write is within the bounds of the gap. Its configuration is not recorded, so any
   * that was met may be it; but it was not called after the gap was received.
   */
  private boolean isWithin(GapReceived gap, HistoryOperation operation, @Nullable Stamp stamp) {
    return gap.atNanos() >= operation.callNanos()
        && (stamp == null
            || configurations.stream()
                .map(configuration -> new ChangeStamp(configuration, stamp))
                .anyMatch(one -> one.isAfter(gap.after()) && gap.before().isAfter(one)));
  }

  /** Whether another write of the key may have overwritten this one before the gap was received. */
  private boolean isPerhapsFollowed(
      Recorded stream, GapReceived gap, HistoryOperation operation, @Nullable Stamp stamp) {
    return writes.getOrDefault(operation.key(), List.of()).stream()
        .anyMatch(
            other ->
                other != operation
                    && (!isWithoutEffect(other) || isLenient(stream))
                    && other.callNanos() <= gap.atNanos()
                    && mayFollow(other, operation, stamp));
  }

  /** Stamps of different configurations cannot be compared, as a key's stamps are given anew. */
  private boolean mayFollow(
      HistoryOperation other, HistoryOperation operation, @Nullable Stamp stamp) {
    Stamp otherStamp = stampOf(other);
    return stamp == null || otherStamp == null || isReconfigured()
        ? other.lastNanos() >= operation.callNanos()
        : otherStamp.isAfter(stamp);
  }

  /**
   * Whether the key is shown without a value right before the gap or after it. A removal has a new
   * stamp after a change of the configuration, or after its tombstone was purged.
   */
  private static boolean isShownAbsent(PathIndex path, GapReceived gap, String key) {
    if (gap.reason() == GapReason.RESUMED) {
      return false;
    }
    boolean isAbsentBefore = false;
    for (ChangeReceived change : path.changes(key)) {
      if (change.atNanos() > gap.atNanos()) {
        return isAbsentBefore || change.value().isNull();
      }
      isAbsentBefore = change.value().isNull();
    }
    return isAbsentBefore;
  }

  /** Whether a later write of the key was shown. */
  private boolean isOverwritten(PathIndex path, HistoryOperation operation, @Nullable Stamp stamp) {
    return path.changes(operation.key()).stream()
        .anyMatch(
            change ->
                stamp != null && change.stamp().stamp().isAfter(stamp)
                    || (stamp == null || isReconfigured())
                        && change.atNanos() > operation.lastNanos()
                        && !isCertainlyBefore(change, operation));
  }

  private boolean isCertainlyBefore(ChangeReceived change, HistoryOperation operation) {
    HistoryOperation write = onlyWriter(change);
    return write != null && write.lastNanos() < operation.callNanos();
  }

  /** Whether the write may have been made between a saved position and the stream after it. */
  private boolean isAtRestart(Recorded stream, HistoryOperation operation) {
    Recorded one = stream;
    while (one.opened.fromStream() != null) {
      Recorded former = stream(one.opened.fromStream());
      long last = one.opened.fromNumber();
      long savedNanos =
          former.events.stream()
              .filter(event -> number(event) <= last)
              .mapToLong(HistoryNote::atNanos)
              .max()
              .orElse(former.opened.readyNanos());
      if (operation.lastNanos() >= savedNanos && operation.callNanos() <= one.opened.readyNanos()) {
        return true;
      }
      one = former;
    }
    return false;
  }

  // Reads.

  /**
   * The operations, where each write whose change was received had taken effect by then. If the
   * history is linearizable and these operations are not, a change was shown before a read could
   * return it. Streams of WEAK caches are not considered, because they promise nothing of the kind.
   */
  public static OperationHistory bounded(OperationHistory history) {
    StreamChecker checker = new StreamChecker(history);
    Map<KeyValue, Long> byValue = new HashMap<>();
    Map<KeyStamp, Long> byStamp = new HashMap<>();
    for (Recorded stream : checker.streams.values()) {
      if (stream.opened.mode() == Mode.WEAK) {
        continue;
      }
      for (HistoryNote event : stream.events) {
        if (event instanceof ChangeReceived change) {
          if (change.value().isNull()) {
            byStamp.merge(
                new KeyStamp(change.key(), change.stamp().stamp()), change.atNanos(), Math::min);
          } else if (checker.onlyWriter(change) != null) {
            byValue.merge(new KeyValue(change.key(), change.value()), change.atNanos(), Math::min);
          }
        }
      }
    }
    return new OperationHistory(
        history.operations().stream()
            .map(
                operation -> {
                  JsonNode value = written(operation);
                  Stamp stamp = checker.stampOf(operation);
                  Long shown =
                      value != null
                          ? byValue.get(new KeyValue(operation.key(), value))
                          : stamp == null
                              ? null
                              : byStamp.get(new KeyStamp(operation.key(), stamp));
                  return shown == null || shown < operation.callNanos()
                      ? operation
                      : endedBy(operation, shown);
                })
            .toList());
  }

  private static HistoryOperation endedBy(HistoryOperation operation, long nanos) {
    return switch (operation.outcome()) {
      case REFUSED -> operation;
      case OK -> {
        long returned = Objects.requireNonNull(operation.returnNanos());
        yield ended(operation, operation.out(), Math.min(returned, nanos));
      }
      case UNKNOWN -> {
        if (operation.op().equals("write")) {
          yield ended(operation, NullNode.instance, nanos);
        }
        yield CONDITIONAL.contains(operation.op())
            ? ended(operation, BooleanNode.TRUE, nanos)
            : operation; // Its result is not known.
      }
    };
  }

  private static HistoryOperation ended(HistoryOperation operation, JsonNode out, long nanos) {
    return new HistoryOperation(
        operation.client(),
        operation.key(),
        operation.op(),
        operation.entry(),
        operation.in(),
        out,
        operation.callNanos(),
        nanos,
        HistoryOutcome.OK);
  }
}
