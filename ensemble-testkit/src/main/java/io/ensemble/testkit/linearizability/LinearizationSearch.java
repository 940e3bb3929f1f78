package io.ensemble.testkit.linearizability;

import static io.ensemble.testkit.history.SequentialModel.Machine.IMPOSSIBLE;
import static io.ensemble.testkit.linearizability.SearchMemo.FREE;

import io.ensemble.testkit.history.SequentialModel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Searches for an order of one object's operations that respects time and that the model accepts.
 *
 * <p>The idea is Wing and Gong's (Testing and verifying concurrent objects, 1993) with Lowe's
 * memory of points explored and his list of events: an operation may be next if no operation
 * without a place has returned before its call. The search goes depth first, with its own stack.
 *
 * <p>Four rules exclude useless attempts. If an order exists, each rule leaves at least one order:
 *
 * <ul>
 *   <li><b>Immediate placement.</b> If a completed operation can be next and changes nothing in any
 *       state, the search places it and tries no alternative: in any order it could be moved here.
 *       (A delete of nothing does not qualify: placed later, it might delete something.)
 *   <li><b>Unknown operations only with an effect on later ones.</b> An unknown operation is not
 *       placed where it leaves the state as it is. It is not followed by an operation which,
 *       without it, would have led to the same state. In both cases the order that leaves it out is
 *       as good. So no rule removes an order with the fewest unknown operations.
 *   <li><b>Equal operations in the order of their calls.</b> Of unknown operations that do the same
 *       in every state, the one called first is placed first, because two of them can be exchanged.
 *   <li><b>No way back.</b> A state is not left while an operation still needs it and no remaining
 *       operation leads back to it.
 * </ul>
 *
 * <p>States that no operation still to be placed can distinguish count as one state.
 *
 * <p>The operations that the rules allow depend on the state, on the state before if the last
 * operation was an unknown one, and on the operations placed. {@link SearchMemo} compares exactly
 * these.
 */
final class LinearizationSearch {
  enum SearchResult {
    FOUND,
    NONE,
    OUT_OF_BUDGET
  }

  private static final int NO_OPERATION = -1;
  private static final int EXHAUSTED = Integer.MAX_VALUE;
  private static final long[] NOTHING_USED = {};
  private static final int MOST_STATES_KEPT = 8;

  private final ObjectHistory history;
  private final SequentialModel.Machine machine;
  private final SearchBudget budget;
  private final EventList events;
  private final SearchMemo seen = new SearchMemo();
  private final int completed;
  private final int unknown;

  private final long[] placed;
  private final long[] used;
  private int placedCount;
  private int usedCount;
  private int lastPlaced = -1;
  private int state;
  private int before = FREE;

  /**
   * Where the search continues at this point. The cursor is first an entry of the events and then
   * {@code firstUnknown}. After that it is one more than an index in the list of candidates.
   */
  private int cursor;

  private final int firstUnknown;

  /** The unknown operations to try at each point of the stack that has come so far. */
  private int[] candidates = new int[16];

  private int candidatesEnd;

  /**
   * By kind of unknown operation, the last time that the list of candidates contained one of the
   * kind.
   */
  private final int[] triedAt;

  /** Scratch array; all zero between uses. */
  private final int[] usedOfKind;

  private int listings;

  // The stack: the operation placed, and the state before it.
  private int depth;
  private final int[] operationAt;
  private final int[] stateAt;
  private final int[] beforeAt;
  private final int[] lastPlacedAt;
  private final int[] cursorAt;
  private final int[] candidatesEndAt;

  private int farthest = -1;
  private final List<Integer> farthestStates = new ArrayList<>();

  LinearizationSearch(ObjectHistory history, SequentialModel model, SearchBudget budget) {
    this.history = history;
    this.machine = model.prepare(history.numbered());
    this.budget = budget;
    this.events = new EventList(history.completed());
    completed = history.completed().size();
    unknown = history.unknown().size();
    firstUnknown = 2 * completed + 1;
    triedAt = new int[machine.samenesses()];
    usedOfKind = new int[machine.samenesses()];
    placed = new long[(completed + 63) >>> 6];
    used = new long[(unknown + 63) >>> 6];
    state = machine.initial();
    int most = completed + unknown;
    operationAt = new int[most];
    stateAt = new int[most];
    beforeAt = new int[most];
    lastPlacedAt = new int[most];
    cursorAt = new int[most];
    candidatesEndAt = new int[most];
  }

  SearchResult run() {
    if (completed == 0) {
      return SearchResult.FOUND;
    }
    boolean affordable = arrive();
    while (affordable && placedCount < completed) {
      if (placeNext()) {
        affordable = budget.spend() && arrive();
      } else if (depth == 0) {
        return SearchResult.NONE;
      } else {
        takeBack();
      }
    }
    return affordable ? SearchResult.FOUND : SearchResult.OUT_OF_BUDGET;
  }

  /**
   * At a new point, immediately places each operation that the first rule allows, then prepares to
   * try all operations that may be next.
   *
   * @return false if the budget was spent
   */
  private boolean arrive() {
    cursor = EXHAUSTED;
    while (placedCount < completed) {
      int found = unchanging();
      if (found == NO_OPERATION) {
        cursor = events.next(EventList.HEAD);
        return true;
      }
      if (!matters(found, state)) {
        return true;
      }
      // With the cursor at its end, this point has no alternative.
      place(found, state, FREE);
      if (!budget.spend()) {
        return false;
      }
    }
    return true;
  }

  private int unchanging() {
    int entry = events.next(EventList.HEAD);
    int found = NO_OPERATION;
    while (!events.isReturn(entry)) {
      int operation = events.operation(entry);
      if (found == NO_OPERATION
          && machine.changesNothing(operation)
          && machine.step(state, operation) != IMPOSSIBLE) {
        found = operation;
      }
      entry = events.next(entry);
    }
    recordReached(events.rank(entry));
    return found;
  }

  private void recordReached(int rank) {
    if (rank > farthest) {
      farthest = rank;
      farthestStates.clear();
    }
    if (rank == farthest
        && farthestStates.size() < MOST_STATES_KEPT
        && !farthestStates.contains(state)) {
      farthestStates.add(state);
    }
  }

  private boolean placeNext() {
    while (cursor < firstUnknown) {
      if (events.isReturn(cursor)) {
        cursor = firstUnknown;
        break;
      }
      int operation = events.operation(cursor);
      cursor = events.next(cursor);
      int after = machine.step(state, operation);
      if (after != IMPOSSIBLE && matters(operation, after) && tryPlace(operation, after, FREE)) {
        return true;
      }
    }
    if (cursor == firstUnknown) {
      cursor = firstUnknown + 1 + candidatesEnd;
      listCandidates();
    }
    while (cursor <= firstUnknown + candidatesEnd) {
      int operation = candidates[cursor++ - firstUnknown - 1];
      if (tryPlace(operation, machine.step(state, operation), state)) {
        return true;
      }
    }
    return false;
  }

  private void listCandidates() {
    if (unknown == 0 || machine.neededAgainInVain(state)) {
      return;
    }
    listings++;
    int first = events.operation(events.firstReturn());
    long deadline = history.completed().get(first).lastNanos();
    for (int u = 0; u < unknown && history.unknown().get(u).callNanos() <= deadline; u++) {
      if (!has(used, u) && triedAt[machine.sameness(completed + u)] != listings) {
        triedAt[machine.sameness(completed + u)] = listings;
        int after = machine.step(state, completed + u);
        if (after != state && after != IMPOSSIBLE && matters(completed + u, after)) {
          if (candidatesEnd == candidates.length) {
            candidates = Arrays.copyOf(candidates, 2 * candidates.length);
          }
          candidates[candidatesEnd++] = completed + u;
        }
      }
    }
  }

  /** Whether an unknown operation just placed makes a difference to the one that would be next. */
  private boolean matters(int operation, int after) {
    return before == FREE || machine.step(before, operation) != after;
  }

  private boolean tryPlace(int operation, int after, int beforeIt) {
    int left = state;
    place(operation, after, beforeIt);
    boolean hopeless = after != left && machine.neededAgainInVain(left, after);
    if (!hopeless && (placedCount == completed || isNew())) {
      return true;
    }
    takeBack();
    return false;
  }

  private boolean isNew() {
    int firstOpen = events.operation(events.next(EventList.HEAD));
    return seen.add(state, before, firstOpen, lastPlaced, placed, usedByKind());
  }

  /**
   * The unknown operations placed, normalized as if those of each kind called first had been
   * placed. All of them have been called, so it no longer matters which of a kind were placed.
   */
  private long[] usedByKind() {
    if (usedCount == 0) {
      return NOTHING_USED;
    }
    int end = 0;
    for (int u = 0, left = usedCount; left > 0; u++) {
      if (has(used, u)) {
        usedOfKind[machine.sameness(completed + u)]++;
        left--;
        end = u + 1;
      }
    }
    long[] asIf = new long[(end + 63) >>> 6];
    for (int u = 0; u < end; u++) {
      int kind = machine.sameness(completed + u);
      if (usedOfKind[kind] > 0) {
        usedOfKind[kind]--;
        flip(asIf, u);
      }
    }
    return asIf;
  }

  private void place(int operation, int after, int beforeIt) {
    operationAt[depth] = operation;
    stateAt[depth] = state;
    beforeAt[depth] = before;
    lastPlacedAt[depth] = lastPlaced;
    cursorAt[depth] = cursor;
    candidatesEndAt[depth] = candidatesEnd;
    depth++;
    machine.took(operation);
    state = machine.representative(after);
    before = beforeIt == FREE ? FREE : machine.representative(beforeIt);
    if (operation < completed) {
      events.lift(operation);
      flip(placed, operation);
      placedCount++;
      lastPlaced = Math.max(lastPlaced, operation);
    } else {
      flip(used, operation - completed);
      usedCount++;
    }
  }

  private void takeBack() {
    depth--;
    int operation = operationAt[depth];
    state = stateAt[depth];
    before = beforeAt[depth];
    lastPlaced = lastPlacedAt[depth];
    cursor = cursorAt[depth];
    candidatesEnd = candidatesEndAt[depth];
    machine.untook(operation);
    if (operation < completed) {
      events.putBack(operation);
      flip(placed, operation);
      placedCount--;
    } else {
      flip(used, operation - completed);
      usedCount--;
    }
  }

  private static boolean has(long[] set, int member) {
    return (set[member >>> 6] & (1L << member)) != 0;
  }

  private static void flip(long[] set, int member) {
    set[member >>> 6] ^= 1L << member;
  }

  /**
   * The number of operations, in the order of their returns, that certainly have an order among
   * them: those before the farthest return that the search reached.
   */
  int farthestReturn() {
    return Math.max(farthest, 0);
  }

  /** Some states in which the search reached its farthest return, in words. */
  List<String> statesThere() {
    return farthestStates.stream().map(machine::describe).toList();
  }
}
