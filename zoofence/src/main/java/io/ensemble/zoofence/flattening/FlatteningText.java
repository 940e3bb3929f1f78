package io.ensemble.zoofence.flattening;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.zookeeper.common.PathUtils;

/**
 * A flattening as text: one line for each rule, with a path and its holders. The text names
 * instances by the names of the deployment, or by their numbers from 1 on; {@code *} means all
 * instances. {@code hash N} and {@code levels KAPPA LAMBDA} divide the znodes below the path. Text
 * after {@code #} is a remark.
 *
 * <pre>
 * /            hash 1      # each top-level subtree on one instance
 * /shared      *           # this one on all
 * /sites/lyon  1
 * </pre>
 */
public final class FlatteningText {
  private FlatteningText() {}

  /**
   * Reads a flattening.
   *
   * @param names the instances' names, in order
   * @throws FlatteningException if a line cannot be read, or property P2 is broken
   */
  public static Flattening read(String text, List<String> names) {
    var rules = new HashMap<String, FlatteningRule>();
    int number = 0;
    for (String line : text.split("\n", -1)) {
      number++;
      String said = line.replaceFirst("#.*", "").strip();
      if (said.isEmpty()) {
        continue;
      }
      List<String> words = Arrays.asList(said.split("[\\s,=]+"));
      try {
        PathUtils.validatePath(words.get(0));
        if (words.size() < 2) {
          throw new IllegalArgumentException("rule does not say which instances hold the path");
        }
        if (rules.put(words.get(0), rule(words.subList(1, words.size()), names)) != null) {
          throw new IllegalArgumentException("second rule for " + words.get(0));
        }
      } catch (IllegalArgumentException e) {
        throw new FlatteningException("line " + number + " (" + said + "): " + e.getMessage());
      }
    }
    return new Flattening(names.size(), rules);
  }

  /** Reads the holders of a path from the rest of a line behind the path. */
  static FlatteningRule rule(String words, List<String> names) {
    try {
      return rule(Arrays.asList(words.strip().split("[\\s,=]+")), names);
    } catch (IllegalArgumentException e) {
      throw new FlatteningException(words + ": " + e.getMessage());
    }
  }

  private static FlatteningRule rule(List<String> words, List<String> names) {
    return switch (words.get(0)) {
      case "*" -> new FlatteningRule.Held(InstanceSet.first(names.size()));
      case "hash" -> new FlatteningRule.Hashed(numbers(words, 1)[0]);
      case "levels" -> {
        int[] numbers = numbers(words, 2);
        yield new FlatteningRule.Levels(numbers[0], numbers[1]);
      }
      default ->
          new FlatteningRule.Held(
              InstanceSet.of(words.stream().mapToInt(word -> instance(word, names)).toArray()));
    };
  }

  private static int[] numbers(List<String> words, int count) {
    if (words.size() != count + 1) {
      throw new IllegalArgumentException(words.get(0) + " requires " + count + " number(s)");
    }
    return words.stream().skip(1).mapToInt(FlatteningText::number).toArray();
  }

  private static int number(String word) {
    try {
      return Integer.parseInt(word);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("expected a number; got " + word, e);
    }
  }

  private static int instance(String word, List<String> names) {
    int named = names.indexOf(word);
    if (named >= 0) {
      return named;
    }
    if (word.matches("[1-9][0-9]?") && Integer.parseInt(word) <= names.size()) {
      return Integer.parseInt(word) - 1;
    }
    throw new IllegalArgumentException("no instance is named " + word + "; known are " + names);
  }

  /** The text of a flattening, with instances by their numbers. */
  public static String write(Flattening flattening) {
    return sorted(flattening.rules()).entrySet().stream()
        .map(entry -> entry.getKey() + " " + entry.getValue() + "\n")
        .collect(Collectors.joining());
  }

  private static Map<String, FlatteningRule> sorted(Map<String, FlatteningRule> rules) {
    return new TreeMap<>(rules);
  }
}
