package io.ensemble.partition;

import io.ensemble.partition.PatternNode.Choice;
import io.ensemble.partition.PatternNode.Edge;
import io.ensemble.partition.PatternNode.Group;
import io.ensemble.partition.PatternNode.One;
import io.ensemble.partition.PatternNode.Repeat;
import io.ensemble.partition.PatternNode.Sequence;
import java.util.ArrayList;
import java.util.List;

/**
 * A pattern as instructions.
 *
 * @param steps in order; the match begins at the first one
 */
record PatternProgram(List<Step> steps) {

  private static final int MOST_STEPS = 2000;

  /** An instruction; where there are two, {@code first} is preferred to {@code second}. */
  sealed interface Step {

    /** Consumes a character of the set, and continues with the next step. */
    record Consume(CharacterSet set) implements Step {}

    /** Continues at either step. */
    record Split(int first, int second) implements Step {}

    /** Continues at the step {@code to}. */
    record Jump(int to) implements Step {}

    /** Records the position at which the group begins or ends. */
    record Note(boolean end) implements Step {}

    /** Continues only at the beginning or the end of the key. */
    record Check(boolean end) implements Step {}

    /** The pattern matches. */
    record Match() implements Step {}
  }

  static PatternProgram of(String pattern, PatternNode node) {
    Emitter emitter = new Emitter(pattern);
    emitter.emit(node);
    emitter.add(new Step.Match());
    return new PatternProgram(List.copyOf(emitter.steps));
  }

  /** Whether the pattern can match at the beginning only; then no other position costs any step. */
  boolean isAnchored() {
    Step first = steps.get(0) instanceof Step.Note ? steps.get(1) : steps.get(0);
    return first instanceof Step.Check check && !check.end();
  }

  private static final class Emitter {

    private final String pattern;
    private final List<Step> steps = new ArrayList<>();

    Emitter(String pattern) {
      this.pattern = pattern;
    }

    private void emit(PatternNode node) {
      if (node instanceof One one) {
        add(new Step.Consume(one.set()));
      } else if (node instanceof Sequence sequence) {
        sequence.items().forEach(this::emit);
      } else if (node instanceof Choice choice) {
        emit(choice.branches());
      } else if (node instanceof Repeat repeat) {
        emit(repeat);
      } else if (node instanceof Group group) {
        add(new Step.Note(false));
        emit(group.item());
        add(new Step.Note(true));
      } else if (node instanceof Edge edge) {
        add(new Step.Check(edge.end()));
      }
    }

    private void emit(List<PatternNode> branches) {
      List<Integer> ends = new ArrayList<>();
      for (int i = 0; i < branches.size() - 1; i++) {
        int split = hole();
        emit(branches.get(i));
        ends.add(hole());
        steps.set(split, new Step.Split(split + 1, steps.size()));
      }
      emit(branches.get(branches.size() - 1));
      ends.forEach(end -> steps.set(end, new Step.Jump(steps.size())));
    }

    /**
     * Emits the required rounds, then the optional ones. Every round adds a step, so that the limit
     * of steps ends the loop.
     */
    private void emit(Repeat repeat) {
      for (int i = 0; i < repeat.least(); i++) {
        emit(repeat.item());
      }
      if (repeat.most() < 0) {
        int split = hole();
        emit(repeat.item());
        add(new Step.Jump(split));
        steps.set(split, split(repeat, split + 1, steps.size()));
        return;
      }
      List<Integer> exits = new ArrayList<>();
      for (int i = repeat.least(); i < repeat.most(); i++) {
        exits.add(hole());
        emit(repeat.item());
      }
      exits.forEach(exit -> steps.set(exit, split(repeat, exit + 1, steps.size())));
    }

    private static Step split(Repeat repeat, int on, int out) {
      return repeat.eager() ? new Step.Split(on, out) : new Step.Split(out, on);
    }

    private int hole() {
      add(new Step.Jump(0));
      return steps.size() - 1;
    }

    private void add(Step step) {
      if (steps.size() == MOST_STEPS) {
        throw new IllegalArgumentException(
            "the pattern is too large: use fewer repetitions; most=%d pattern=%s"
                .formatted(MOST_STEPS, pattern));
      }
      steps.add(step);
    }
  }
}
