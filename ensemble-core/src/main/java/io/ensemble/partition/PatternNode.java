package io.ensemble.partition;

import java.util.List;

/** A regular expression, as parsed. */
sealed interface PatternNode {

  /** Whether it may match without consuming a character. */
  boolean mayBeEmpty();

  /** One character of a set. */
  record One(CharacterSet set) implements PatternNode {
    @Override
    public boolean mayBeEmpty() {
      return false;
    }
  }

  /** Nodes that match one after the other. */
  record Sequence(List<PatternNode> items) implements PatternNode {
    @Override
    public boolean mayBeEmpty() {
      return items.stream().allMatch(PatternNode::mayBeEmpty);
    }
  }

  /** Alternatives; earlier ones are preferred. */
  record Choice(List<PatternNode> branches) implements PatternNode {
    @Override
    public boolean mayBeEmpty() {
      return branches.stream().anyMatch(PatternNode::mayBeEmpty);
    }
  }

  /** A repetition. {@code most} is -1 for any number; {@code eager} prefers more. */
  record Repeat(PatternNode item, int least, int most, boolean eager) implements PatternNode {
    @Override
    public boolean mayBeEmpty() {
      return least == 0;
    }
  }

  /** The group that the pattern returns. */
  record Group(PatternNode item) implements PatternNode {
    @Override
    public boolean mayBeEmpty() {
      return item.mayBeEmpty();
    }
  }

  /** The beginning of the key, or its end. */
  record Edge(boolean end) implements PatternNode {
    @Override
    public boolean mayBeEmpty() {
      return true;
    }
  }
}
