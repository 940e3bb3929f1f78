package io.ensemble.partition;

import io.ensemble.partition.CharacterSet.Range;
import io.ensemble.partition.PatternNode.Choice;
import io.ensemble.partition.PatternNode.Edge;
import io.ensemble.partition.PatternNode.Group;
import io.ensemble.partition.PatternNode.One;
import io.ensemble.partition.PatternNode.Repeat;
import io.ensemble.partition.PatternNode.Sequence;
import java.util.ArrayList;
import java.util.List;

/** Parses the language of {@link GroupPattern}, by recursive descent. For one use. */
final class PatternParser {

  private static final int MOST_TIMES = 1000;
  private static final String SPECIAL = "*+?{}()|[]^$.\\";

  private final String pattern;
  private int at;
  private boolean hasGroup;

  PatternParser(String pattern) {
    this.pattern = pattern;
  }

  PatternNode parse() {
    PatternNode whole = choice();
    if (more()) {
      throw wrong("a ')' has no matching '('");
    }
    return hasGroup ? whole : new Group(whole);
  }

  private PatternNode choice() {
    List<PatternNode> branches = new ArrayList<>();
    branches.add(sequence());
    while (taken('|')) {
      branches.add(sequence());
    }
    return branches.size() == 1 ? branches.get(0) : new Choice(branches);
  }

  private PatternNode sequence() {
    List<PatternNode> items = new ArrayList<>();
    while (more() && pattern.charAt(at) != '|' && pattern.charAt(at) != ')') {
      items.add(repeated(atom()));
    }
    return items.size() == 1 ? items.get(0) : new Sequence(items);
  }

  private PatternNode atom() {
    if (taken('(')) {
      return group();
    }
    if (taken('[')) {
      return new One(characters());
    }
    if (taken('.')) {
      return new One(CharacterSet.ANY);
    }
    if (taken('^')) {
      return new Edge(false);
    }
    if (taken('$')) {
      return new Edge(true);
    }
    if (taken('\\')) {
      return new One(escaped());
    }
    if (SPECIAL.indexOf(pattern.charAt(at)) >= 0) {
      throw wrong(
          "unescaped '%c'; write \\%c for the character itself"
              .formatted(pattern.charAt(at), pattern.charAt(at)));
    }
    return new One(CharacterSet.one(next()));
  }

  private PatternNode group() {
    boolean wanted = !hasGroup;
    if (taken('?')) {
      if (!taken(':')) {
        throw wrong("of groups with '?' only (?: ) is supported");
      }
      wanted = false;
    }
    hasGroup |= wanted;
    PatternNode inner = choice();
    if (!taken(')')) {
      throw wrong("a '(' is not closed");
    }
    return wanted ? new Group(inner) : inner;
  }

  private PatternNode repeated(PatternNode item) {
    int least;
    int most;
    if (taken('*')) {
      least = 0;
      most = -1;
    } else if (taken('+')) {
      least = 1;
      most = -1;
    } else if (taken('?')) {
      least = 0;
      most = 1;
    } else if (taken('{')) {
      least = number();
      most = least;
      if (taken(',')) {
        most = more() && pattern.charAt(at) == '}' ? -1 : number();
      }
      if (!taken('}') || (most >= 0 && (most < least || most == 0))) {
        throw wrong("a repetition must be {n}, {n,} or {n,m} with n <= m and m > 0");
      }
    } else {
      return item;
    }
    if (item.mayBeEmpty()) {
      throw wrong("a repeated expression must not match the empty string");
    }
    boolean eager = !taken('?');
    if (more() && "*+?{".indexOf(pattern.charAt(at)) >= 0) {
      throw wrong("a repetition cannot be repeated without a group");
    }
    return new Repeat(item, least, most, eager);
  }

  private int number() {
    int from = at;
    while (more() && pattern.charAt(at) >= '0' && pattern.charAt(at) <= '9') {
      at++;
    }
    int times = at == from || at - from > 4 ? -1 : Integer.parseInt(pattern, from, at, 10);
    if (times < 0 || times > MOST_TIMES) {
      throw wrong("a repetition must be a number up to " + MOST_TIMES);
    }
    return times;
  }

  private CharacterSet characters() {
    boolean negated = taken('^');
    List<Range> ranges = new ArrayList<>();
    do {
      CharacterSet first = inClass();
      boolean single = first.ranges().size() == 1 && isOne(first.ranges().get(0));
      boolean range =
          single
              && at + 1 < pattern.length()
              && pattern.charAt(at) == '-'
              && pattern.charAt(at + 1) != ']';
      if (range) {
        at++;
        ranges.add(range(first, inClass()));
      } else {
        ranges.addAll(first.positive());
      }
    } while (more() && pattern.charAt(at) != ']');
    if (!taken(']')) {
      throw wrong("a '[' is not closed");
    }
    return new CharacterSet(List.copyOf(ranges), negated);
  }

  private Range range(CharacterSet first, CharacterSet last) {
    int from = first.ranges().get(0).first();
    int to = last.ranges().get(0).last();
    if (last.negated() || last.ranges().size() != 1 || !isOne(last.ranges().get(0)) || to < from) {
      throw wrong("the end of a range must be after its start");
    }
    return new Range(from, to);
  }

  private static boolean isOne(Range range) {
    return range.first() == range.last();
  }

  private CharacterSet inClass() {
    if (taken('\\')) {
      return escaped();
    }
    if (!more() || ("[]&^-".indexOf(pattern.charAt(at)) >= 0 && !isLastHyphen())) {
      throw wrong("in a class, [ ] & ^ - must be escaped with a backslash");
    }
    return CharacterSet.one(next());
  }

  private boolean isLastHyphen() {
    return pattern.startsWith("-]", at);
  }

  private CharacterSet escaped() {
    if (!more()) {
      throw wrong("the pattern ends with a backslash");
    }
    int escaped = next();
    return switch (escaped) {
      case 'd' -> CharacterSet.DIGIT;
      case 'D' -> CharacterSet.DIGIT.inverted();
      case 'w' -> CharacterSet.WORD;
      case 'W' -> CharacterSet.WORD.inverted();
      case 's' -> CharacterSet.SPACE;
      case 'S' -> CharacterSet.SPACE.inverted();
      case 't' -> CharacterSet.one('\t');
      default -> {
        if (escaped > 0x7e || Character.isLetterOrDigit(escaped)) {
          throw wrong("\\%c is not supported".formatted(escaped));
        }
        yield CharacterSet.one(escaped);
      }
    };
  }

  private int next() {
    int codePoint = pattern.codePointAt(at);
    at += Character.charCount(codePoint);
    return codePoint;
  }

  private boolean more() {
    return at < pattern.length();
  }

  private boolean taken(char wanted) {
    if (more() && pattern.charAt(at) == wanted) {
      at++;
      return true;
    }
    return false;
  }

  private IllegalArgumentException wrong(String why) {
    return new IllegalArgumentException(
        "a pattern cannot be used: %s; at=%d pattern=%s".formatted(why, at, pattern));
  }
}
