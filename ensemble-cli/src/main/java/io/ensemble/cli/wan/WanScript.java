package io.ensemble.cli.wan;

import io.ensemble.cli.option.BandwidthConverter;
import io.ensemble.cli.option.DurationConverter;
import io.ensemble.testkit.wan.HostPair;
import io.ensemble.testkit.wan.PathProfile;
import io.ensemble.testkit.wan.WanPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.TypeConversionException;

/**
 * The script of {@code wan}: hosts, the network between them, cuts, and commands.
 *
 * @param plan the hosts and the network between them
 * @param cuts the cuts at the beginning
 * @param commands the commands on hosts, in the order of starting
 */
record WanScript(WanPlan plan, List<Cut> cuts, List<HostCommand> commands) {

  /**
   * Two hosts, in both directions ({@code A-B}) or from the first to the second only ({@code A>B}).
   *
   * @param from the first
   * @param to the second
   * @param oneWay whether the other direction stays
   */
  record Cut(String from, String to, boolean oneWay) {

    @Override
    public String toString() {
      return from + (oneWay ? ">" : "-") + to;
    }
  }

  /**
   * A command for the shell.
   *
   * @param host its host
   * @param command the command
   */
  record HostCommand(String host, String command) {}

  private static final Pattern STATEMENT = Pattern.compile("(\\w+)\\s+(\\S+)(?:\\s+(.*))?");
  private static final Pattern TWO = Pattern.compile("(\\w+)([->])(\\w+)");
  private static final Pattern LOSS = Pattern.compile("(\\d{1,3}(?:\\.\\d{1,6})?)%");

  /**
   * Reads statements, of which later ones override earlier ones: {@code latency 50ms}, {@code
   * bandwidth 10mbit}, {@code loss 1%}, {@code pair A-B 80ms [10mbit] [1%]}, {@code cut A-B} or
   * {@code cut A>B}, {@code host NAME [COMMAND]}.
   *
   * @throws IllegalArgumentException if one is none of these, or they make no plan
   */
  static WanScript read(List<String> statements, long seed) {
    ScriptParser reading = new ScriptParser();
    for (String statement : statements) {
      try {
        reading.parse(statement.strip());
      } catch (IllegalArgumentException | TypeConversionException wrong) {
        throw new IllegalArgumentException("'" + statement.strip() + "': " + wrong.getMessage());
      }
    }
    return reading.script(seed);
  }

  /**
   * The statements of a file: one per line, without empty lines and those that begin with {@code
   * #}.
   */
  static List<String> statements(String file) {
    return file.lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty() && !line.startsWith("#"))
        .toList();
  }

  /** The hosts of a {@code cut} or {@code heal}. */
  static Cut cut(String text) {
    Matcher two = TWO.matcher(text);
    if (!two.matches()) {
      throw new IllegalArgumentException(
          "requires two hosts as A-B, or A>B for one direction; got '" + text + "'");
    }
    return new Cut(two.group(1), two.group(3), two.group(2).equals(">"));
  }

  /** Parses a percentage as a share of 1. */
  static double loss(String text) {
    Matcher form = LOSS.matcher(text);
    if (!form.matches()) {
      throw new IllegalArgumentException(
          "requires a percentage, such as 1% or 0.5%; got '" + text + "'");
    }
    return Double.parseDouble(form.group(1)) / 100;
  }

  private static final class ScriptParser {

    private final Set<String> hosts = new LinkedHashSet<>();
    private final Map<HostPair, List<String>> pairs = new LinkedHashMap<>();
    private final Set<Cut> cuts = new LinkedHashSet<>();
    private final List<HostCommand> commands = new ArrayList<>();
    private PathProfile everywhere = PathProfile.NONE;

    void parse(String statement) {
      Matcher form = STATEMENT.matcher(statement);
      if (!form.matches()) {
        throw new IllegalArgumentException("requires a keyword and its argument");
      }
      String about = form.group(2);
      @Nullable String rest = form.group(3);
      switch (form.group(1)) {
        case "host" -> host(about, rest == null ? "" : rest);
        case "pair" -> pair(about, rest == null ? "" : rest);
        case "cut" -> cuts.add(cut(requireSingle(about, rest)));
        case "latency" -> everywhere = roundTrip(everywhere, requireSingle(about, rest));
        case "bandwidth" -> everywhere = bandwidth(everywhere, requireSingle(about, rest));
        case "loss" -> everywhere = withLoss(everywhere, requireSingle(about, rest));
        default ->
            throw new IllegalArgumentException(
                "requires host, latency, bandwidth, loss, pair or cut; got "
                    + "'"
                    + form.group(1)
                    + "'");
      }
    }

    private static String requireSingle(String about, @Nullable String rest) {
      if (rest != null && !rest.isEmpty()) {
        throw new IllegalArgumentException("requires no further argument after '" + about + "'");
      }
      return about;
    }

    private void host(String name, String command) {
      hosts.add(name);
      if (!command.isBlank()) {
        commands.add(new HostCommand(name, command));
      }
    }

    private void pair(String text, String distance) {
      Cut two = cut(text);
      List<String> parts = List.of(distance.strip().split("[\\s,]+", -1));
      if (two.oneWay() || distance.isBlank()) {
        throw new IllegalArgumentException("requires two hosts and a profile, such as A-B 80ms");
      }
      with(PathProfile.NONE, parts);
      pairs.put(new HostPair(two.from(), two.to()), parts);
    }

    /** Each part is recognized by its unit. */
    private static PathProfile with(PathProfile base, List<String> parts) {
      PathProfile made = base;
      for (String part : parts) {
        if (part.endsWith("%")) {
          made = withLoss(made, part);
        } else if (part.endsWith("bit") || part.equals("0")) {
          made = bandwidth(made, part);
        } else {
          made = roundTrip(made, part);
        }
      }
      return made;
    }

    private static PathProfile roundTrip(PathProfile base, String text) {
      Duration roundTrip = new DurationConverter().convert(text);
      return new PathProfile(roundTrip, base.bitsPerSecond(), base.loss());
    }

    private static PathProfile bandwidth(PathProfile base, String text) {
      return new PathProfile(base.roundTrip(), new BandwidthConverter().convert(text), base.loss());
    }

    private static PathProfile withLoss(PathProfile base, String text) {
      return new PathProfile(base.roundTrip(), base.bitsPerSecond(), loss(text));
    }

    WanScript script(long seed) {
      Map<HostPair, PathProfile> distances = new LinkedHashMap<>();
      // A pair inherits the values that it leaves out, even those of later statements.
      pairs.forEach((pair, parts) -> distances.put(pair, with(everywhere, parts)));
      WanPlan plan = new WanPlan(List.copyOf(hosts), everywhere, distances, seed);
      for (Cut cut : cuts) {
        if (!hosts.contains(cut.from()) || !hosts.contains(cut.to())) {
          throw new IllegalArgumentException("no such hosts: " + cut + "; known are " + hosts);
        }
      }
      return new WanScript(plan, List.copyOf(cuts), List.copyOf(commands));
    }
  }
}
