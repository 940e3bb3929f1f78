package io.ensemble.partition;

import java.util.ArrayList;
import java.util.List;

/**
 * A set of code points.
 *
 * @param ranges its ranges, both ends included, which may overlap
 * @param negated whether the set consists of the code points outside all ranges
 */
record CharacterSet(List<Range> ranges, boolean negated) {

  static final CharacterSet ANY = new CharacterSet(List.of(), true);
  static final CharacterSet DIGIT = of(new Range('0', '9'));
  static final CharacterSet WORD =
      of(new Range('a', 'z'), new Range('A', 'Z'), new Range('0', '9'), new Range('_', '_'));
  static final CharacterSet SPACE = of(new Range(0x9, 0xd), new Range(' ', ' '));

  record Range(int first, int last) {}

  static CharacterSet of(Range... ranges) {
    return new CharacterSet(List.of(ranges), false);
  }

  static CharacterSet one(int codePoint) {
    return of(new Range(codePoint, codePoint));
  }

  boolean has(int codePoint) {
    for (Range range : ranges) {
      if (codePoint >= range.first() && codePoint <= range.last()) {
        return !negated;
      }
    }
    return negated;
  }

  /** The complement. */
  CharacterSet inverted() {
    return new CharacterSet(ranges, !negated);
  }

  /** The ranges of the code points in the set; for a negated set, the gaps. */
  List<Range> positive() {
    if (!negated) {
      return ranges;
    }
    List<Range> sorted = new ArrayList<>(ranges);
    sorted.sort(java.util.Comparator.comparingInt(Range::first));
    List<Range> gaps = new ArrayList<>();
    int next = 0;
    for (Range range : sorted) {
      if (range.first() > next) {
        gaps.add(new Range(next, range.first() - 1));
      }
      next = Math.max(next, range.last() + 1);
    }
    if (next <= Character.MAX_CODE_POINT) {
      gaps.add(new Range(next, Character.MAX_CODE_POINT));
    }
    return gaps;
  }
}
