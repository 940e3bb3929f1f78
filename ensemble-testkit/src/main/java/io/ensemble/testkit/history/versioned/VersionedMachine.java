package io.ensemble.testkit.history.versioned;

import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.SequentialModel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A key with its versions. An addition takes a version above all existing versions and above each
 * version as of which the key was read; another version may be put anywhere above the latter. A
 * read as of a version closes that version and all below. A compaction at a version removes all
 * versions below the latest one at it or below. A read below the latter says so, if a version was
 * removed. Where the state had none, it may say so or not: an addition of unknown outcome that no
 * operation has seen may have been removed, and states leave it out.
 */
final class VersionedMachine implements SequentialModel.Machine {
  private static final int MOST_TOLD = 4;

  private final List<HistoryOperation> operations;
  private final VersionedOp[] kinds;
  private final @Nullable VersionedReading[] readings;
  private final VersionedItems items;
  private final VersionedStates states;
  private final VersionedLookahead lookahead;
  private final int[] sameness;
  private final int samenesses;

  VersionedMachine(List<HistoryOperation> operations) {
    this.operations = operations;
    items = new VersionedItems(operations);
    states = new VersionedStates(items.size());
    lookahead = new VersionedLookahead(operations, items);
    kinds = new VersionedOp[operations.size()];
    readings = new VersionedReading[kinds.length];
    sameness = new int[kinds.length];
    Map<List<Object>, Integer> alike = new HashMap<>();
    for (int i = 0; i < kinds.length; i++) {
      HistoryOperation operation = operations.get(i);
      kinds[i] = VersionedOp.of(operation);
      if (operation.outcome() == HistoryOutcome.OK) {
        readings[i] = VersionedReading.of(operation, items);
      } else {
        boolean unseen = kinds[i] == VersionedOp.ADD_VERSION && items.ofOperation(i) < 0;
        Object does = unseen ? "unseen" : operation.in();
        sameness[i] = alike.computeIfAbsent(List.of(kinds[i], does), kind -> alike.size());
      }
    }
    samenesses = alike.size();
  }

  @Override
  public int initial() {
    return states.initial();
  }

  @Override
  public int step(int state, int operation) {
    return switch (kinds[operation]) {
      case ADD_VERSION -> add(state, operation);
      case PUT_VERSION -> put(state, operation);
      case AS_OF -> asOf(state, operation);
      case COMPACT -> compact(state, operations.get(operation).in().longValue());
      case GET_VERSION -> get(state, operation);
      default -> fits(state, operation) ? state : IMPOSSIBLE;
    };
  }

  private boolean isKnown(int operation) {
    return operations.get(operation).outcome() == HistoryOutcome.OK;
  }

  private boolean fits(int state, int operation) {
    VersionedReading reading = readings[operation];
    return reading == null || reading.fits(states, state);
  }

  private String answer(int operation) {
    return operations.get(operation).out().asText();
  }

  private long highestVersion(int state) {
    int last = states.previous(state, items.size());
    return last < 0 ? states.floor(state) : Math.max(states.floor(state), items.version(last));
  }

  private int add(int state, int operation) {
    int item = items.ofOperation(operation);
    if (!isKnown(operation)) {
      item = item < 0 ? firstUnseen(state) : item;
      if (item < 0 || !lookahead.matters(item)) {
        return state; // Without it, the order is as good.
      }
    }
    return items.version(item) > highestVersion(state) ? with(state, item) : IMPOSSIBLE;
  }

  /** The first item that an addition of unknown item can have added; these items rise. */
  private int firstUnseen(int state) {
    for (int item = items.upTo(highestVersion(state)); item < items.size(); item++) {
      if (items.isUnseen(item) && lookahead.isExpected(item)) {
        return item;
      }
    }
    return VersionedItems.NONE;
  }

  private int with(int state, int item) {
    return lookahead.isMissed(item) ? IMPOSSIBLE : states.with(state, item);
  }

  private int put(int state, int operation) {
    String due = putResult(state, operations.get(operation).in().get(0).longValue());
    boolean added = due.equals(VersionedOp.ADDED);
    int item = items.ofOperation(operation);
    if (!isKnown(operation)) {
      return added && lookahead.matters(item) ? with(state, item) : state;
    }
    if (!due.equals(answer(operation))) {
      return IMPOSSIBLE;
    }
    return added ? with(state, item) : state;
  }

  /** The result of a put of a version. */
  private String putResult(int state, long version) {
    if (version <= 0) {
      return VersionedOp.NOT_ABOVE;
    }
    if (version <= states.floor(state)) {
      return VersionedOp.BELOW_CUT;
    }
    if (version < states.horizon(state)) {
      return VersionedOp.COMPACTED;
    }
    int there = states.next(state, items.below(version));
    return there >= 0 && items.version(there) == version ? VersionedOp.EXISTS : VersionedOp.ADDED;
  }

  private int asOf(int state, int operation) {
    long version = operations.get(operation).in().longValue();
    if (isKnown(operation)) {
      boolean compacted = answer(operation).equals(VersionedOp.COMPACTED);
      if (!mayAnswer(state, version, compacted) || !fits(state, operation)) {
        return IMPOSSIBLE;
      }
    } else if (!lookahead.isClosed(states.floor(state), version)) {
      return state;
    }
    boolean raises = version > states.floor(state);
    return raises && lookahead.isOpen(version) ? IMPOSSIBLE : states.raised(state, version);
  }

  private int compact(int state, long version) {
    int visible = states.previous(state, items.upTo(version));
    if (visible < 0 || items.version(visible) <= states.horizon(state)) {
      return state;
    }
    for (int gone = states.next(state, 0); gone < visible; gone = states.next(state, gone + 1)) {
      if (lookahead.isExpected(gone)) {
        return IMPOSSIBLE;
      }
    }
    return states.compacted(state, visible, items.version(visible));
  }

  private int get(int state, int operation) {
    long version = operations.get(operation).in().longValue();
    boolean text = operations.get(operation).out().isTextual();
    boolean compacted = text && answer(operation).equals(VersionedOp.COMPACTED);
    if (!text) {
      return fits(state, operation) ? state : IMPOSSIBLE;
    }
    return mayAnswer(state, version, compacted) && fits(state, operation) ? state : IMPOSSIBLE;
  }

  /** Whether a read at a version may say that it was compacted, or may not. */
  private boolean mayAnswer(int state, long version, boolean compacted) {
    boolean isBelow = version < states.horizon(state);
    return compacted ? isBelow : !isBelow || !states.hasRemoved(state);
  }

  @Override
  public boolean changesNothing(int operation) {
    return switch (kinds[operation]) {
      case ADD_VERSION, AS_OF, COMPACT -> false;
      case PUT_VERSION -> isKnown(operation) && !answer(operation).equals(VersionedOp.ADDED);
      default -> true;
    };
  }

  @Override
  public int sameness(int operation) {
    return sameness[operation];
  }

  @Override
  public int samenesses() {
    return samenesses;
  }

  @Override
  public void took(int operation) {
    lookahead.count(operation, -1);
  }

  @Override
  public void untook(int operation) {
    lookahead.count(operation, 1);
  }

  @Override
  public String describe(int state) {
    StringBuilder text = new StringBuilder("[");
    int item = states.previous(state, items.size());
    for (int shownItems = 0; item >= 0 && shownItems < MOST_TOLD; shownItems++) {
      text.append(shownItems > 0 ? ", " : "").append(items.describe(item));
      item = states.previous(state, item);
    }
    text.append(item >= 0 ? ", …]" : "]");
    if (states.floor(state) > 0) {
      text.append(" read as of ").append(states.floor(state));
    }
    if (states.horizon(state) > 0) {
      text.append(" compacted at ").append(states.horizon(state));
    }
    return text.toString();
  }
}
