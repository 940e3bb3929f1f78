package io.ensemble.testkit.history.versioned;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * States of a versioned key, numbered. A state is the set of the items that are there, in blocks
 * that states share. It has two bounds: the version up to which the key has been read as of, and
 * the version below which it has been compacted.
 */
final class VersionedStates {
  private static final int BLOCK = 256;

  /** The numbers of the blocks, the two bounds, and whether a compaction removed an item. */
  private record StoredState(int[] blocks, long floor, long horizon, boolean hasRemoved) {
    @Override
    public boolean equals(Object other) {
      return other instanceof StoredState that
          && floor == that.floor
          && horizon == that.horizon
          && hasRemoved == that.hasRemoved
          && Arrays.equals(blocks, that.blocks);
    }

    @Override
    public int hashCode() {
      return 31 * (31 * Arrays.hashCode(blocks) + Long.hashCode(floor)) + Long.hashCode(horizon);
    }
  }

  private final int items;
  private final List<StoredState> states = new ArrayList<>();
  private final Map<StoredState, Integer> numbers = new HashMap<>();
  private final List<BitSet> blocks = new ArrayList<>();
  private final Map<BitSet, Integer> blockNumbers = new HashMap<>();

  VersionedStates(int items) {
    this.items = items;
  }

  int initial() {
    int[] empty = new int[(items + BLOCK - 1) / BLOCK];
    Arrays.fill(empty, number(new BitSet()));
    return number(new StoredState(empty, 0, Long.MIN_VALUE, false));
  }

  private int number(StoredState state) {
    return numbers.computeIfAbsent(
        state,
        fresh -> {
          states.add(fresh);
          return states.size() - 1;
        });
  }

  private int number(BitSet block) {
    return blockNumbers.computeIfAbsent(
        block,
        fresh -> {
          blocks.add(fresh);
          return blocks.size() - 1;
        });
  }

  private BitSet block(int state, int blockIndex) {
    return blocks.get(states.get(state).blocks()[blockIndex]);
  }

  /** No version at this one or below is added. */
  long floor(int state) {
    return states.get(state).floor();
  }

  /** Versions below this one are gone. */
  long horizon(int state) {
    return states.get(state).horizon();
  }

  /** Whether a compaction has removed an item of those that the state had. */
  boolean hasRemoved(int state) {
    return states.get(state).hasRemoved();
  }

  /** The first item from {@code from} on that is there; {@link VersionedItems#NONE} for none. */
  int next(int state, int from) {
    int start = Math.max(from, 0);
    for (int blockIndex = start / BLOCK; blockIndex * BLOCK < items; blockIndex++) {
      int found = block(state, blockIndex).nextSetBit(Math.max(0, start - blockIndex * BLOCK));
      if (found >= 0) {
        return blockIndex * BLOCK + found;
      }
    }
    return VersionedItems.NONE;
  }

  /** The last item before {@code end} that is there; {@link VersionedItems#NONE} for none. */
  int previous(int state, int end) {
    int last = Math.min(end, items) - 1;
    for (int blockIndex = Math.floorDiv(last, BLOCK); blockIndex >= 0; blockIndex--) {
      int found =
          block(state, blockIndex).previousSetBit(Math.min(BLOCK - 1, last - blockIndex * BLOCK));
      if (found >= 0) {
        return blockIndex * BLOCK + found;
      }
    }
    return VersionedItems.NONE;
  }

  /** The state with one more item. */
  int with(int state, int item) {
    StoredState before = states.get(state);
    int[] fresh = before.blocks().clone();
    BitSet block = (BitSet) block(state, item / BLOCK).clone();
    block.set(item % BLOCK);
    fresh[item / BLOCK] = number(block);
    return number(new StoredState(fresh, before.floor(), before.horizon(), before.hasRemoved()));
  }

  /** The state after a read as of version {@code floor}. */
  int raised(int state, long floor) {
    StoredState before = states.get(state);
    return floor <= before.floor()
        ? state
        : number(new StoredState(before.blocks(), floor, before.horizon(), before.hasRemoved()));
  }

  /** The state without the items before {@code first}. */
  int compacted(int state, int first, long horizon) {
    StoredState before = states.get(state);
    int least = next(state, 0);
    boolean removes = least >= 0 && least < first;
    int[] fresh = before.blocks().clone();
    for (int blockIndex = 0; blockIndex * BLOCK < first; blockIndex++) {
      BitSet block = (BitSet) block(state, blockIndex).clone();
      block.clear(0, Math.min(BLOCK, first - blockIndex * BLOCK));
      fresh[blockIndex] = number(block);
    }
    return number(new StoredState(fresh, before.floor(), horizon, before.hasRemoved() || removes));
  }
}
