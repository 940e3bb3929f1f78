package io.ensemble.partition;

import io.ensemble.partition.PatternProgram.Step;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One search in one text. The search keeps a list of alternatives, the preferred one first, each at
 * a step and with the group that it has found so far. No step is in the list twice, because the
 * later alternative could find nothing that the earlier one cannot. For one use.
 */
final class PatternMatch {

  private static final int NOWHERE = -1;

  /** An alternative at step {@code at}. */
  private record Way(int at, int begin, int end) {}

  private final List<Step> steps;
  private final boolean anchored;
  private final String pattern;
  private final String text;
  private final int[] reached; // For each step, the position at which it was reached last.
  private final Deque<Way> open = new ArrayDeque<>();
  private int taken;

  PatternMatch(PatternProgram program, String pattern, String text) {
    this.steps = program.steps();
    this.anchored = program.isAnchored();
    this.pattern = pattern;
    this.text = text;
    this.reached = new int[steps.size()];
    Arrays.fill(reached, NOWHERE);
  }

  /** The group of the first match. */
  Optional<String> group() {
    Way match = search();
    return match == null || match.end() == NOWHERE
        ? Optional.empty()
        : Optional.of(text.substring(match.begin(), match.end()));
  }

  private @Nullable Way search() {
    List<Way> ways = new ArrayList<>();
    Way match = null;
    int position = 0;
    while (true) {
      boolean mayBegin = match == null && (position == 0 || !anchored);
      if (mayBegin) {
        follow(new Way(0, NOWHERE, NOWHERE), position, ways);
      } else if (ways.isEmpty()) {
        return match;
      }
      boolean ended = position >= text.length();
      int codePoint = ended ? NOWHERE : text.codePointAt(position);
      int next = ended ? position : position + Character.charCount(codePoint);
      List<Way> onward = new ArrayList<>();
      for (Way way : ways) {
        Step step = steps.get(way.at());
        if (step instanceof Step.Match) {
          match = way; // Later alternatives are less preferred than this one.
          break;
        }
        count();
        if (!ended && ((Step.Consume) step).set().has(codePoint)) {
          follow(new Way(way.at() + 1, way.begin(), way.end()), next, onward);
        }
      }
      if (ended) {
        return match;
      }
      ways = onward;
      position = next;
    }
  }

  /**
   * Adds the steps that {@code way} reaches without consuming a character, in order of preference.
   */
  private void follow(Way way, int position, List<Way> ways) {
    open.push(way);
    while (!open.isEmpty()) {
      Way now = open.pop();
      if (reached[now.at()] == position) {
        continue;
      }
      reached[now.at()] = position;
      count();
      Step step = steps.get(now.at());
      if (step instanceof Step.Consume || step instanceof Step.Match) {
        ways.add(now);
      } else if (step instanceof Step.Split split) {
        open.push(new Way(split.second(), now.begin(), now.end()));
        open.push(new Way(split.first(), now.begin(), now.end()));
      } else if (step instanceof Step.Jump jump) {
        open.push(new Way(jump.to(), now.begin(), now.end()));
      } else if (step instanceof Step.Note note) {
        open.push(noted(now, note, position));
      } else if (step instanceof Step.Check check
          && position == (check.end() ? text.length() : 0)) {
        open.push(new Way(now.at() + 1, now.begin(), now.end()));
      }
    }
  }

  private static Way noted(Way way, Step.Note note, int position) {
    return note.end()
        ? new Way(way.at() + 1, way.begin(), position)
        : new Way(way.at() + 1, position, way.end());
  }

  private void count() {
    taken++;
    if (taken > GroupPattern.MOST_STEPS) {
      throw new MatchTooCostlyException(pattern, text.length());
    }
  }
}
