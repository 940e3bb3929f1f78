package io.ensemble.check.doctor;

import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A version of Infinispan Server, as it reports it: three numbers, wherever they are in a text. */
record ServerVersion(int major, int minor, int patch) implements Comparable<ServerVersion> {

  private static final Pattern NUMBERS =
      Pattern.compile("(?<![0-9.])([0-9]{1,4})\\.([0-9]{1,4})\\.([0-9]{1,4})(?![0-9])");
  private static final Comparator<ServerVersion> ORDER =
      Comparator.comparingInt(ServerVersion::major)
          .thenComparingInt(ServerVersion::minor)
          .thenComparingInt(ServerVersion::patch);

  /** The version in a text such as {@code Infinispan 'Keep Rollin' 16.0.7}; empty without one. */
  static Optional<ServerVersion> in(String text) {
    Matcher found = NUMBERS.matcher(text);
    return found.find()
        ? Optional.of(
            new ServerVersion(
                Integer.parseInt(found.group(1)),
                Integer.parseInt(found.group(2)),
                Integer.parseInt(found.group(3))))
        : Optional.empty();
  }

  @Override
  public int compareTo(ServerVersion other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return major + "." + minor + "." + patch;
  }
}
