package io.ensemble.zoofence;

import io.ensemble.zoofence.flattening.ZnodePaths;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * What is locked at an instance, as its guard says: a line for each lock. Immutable.
 *
 * @param held the locks, in the order in which they were taken
 */
public record InstanceLocks(List<Lock> held) {
  public static final InstanceLocks NONE = new InstanceLocks(List.of());

  /**
   * One lock.
   *
   * @param holder the command that holds it
   * @param whole whether what is below the path is locked with it
   */
  public record Lock(String holder, boolean whole, String path) {
    private boolean covers(String other) {
      return whole ? ZnodePaths.under(other, path) : other.equals(path);
    }

    private boolean meets(Lock other) {
      return covers(other.path) || other.covers(path);
    }
  }

  public InstanceLocks {
    held = List.copyOf(held);
  }

  /** Reads a guard's data. */
  public static InstanceLocks read(ByteBuffer data) {
    var held = new ArrayList<Lock>();
    for (String line :
        StandardCharsets.UTF_8.decode(data.duplicate()).toString().lines().toList()) {
      String[] words = line.split(" ", 3);
      if (words.length == 3) {
        held.add(new Lock(words[0], words[1].equals("whole"), unescaped(words[2])));
      }
    }
    return new InstanceLocks(held);
  }

  public byte[] bytes() {
    var text = new StringBuilder();
    for (Lock lock : held) {
      text.append(lock.holder())
          .append(lock.whole() ? " whole " : " alone ")
          .append(escaped(lock.path()))
          .append('\n');
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  /** A client may write what it likes into a path: it must not end the line. */
  private static String escaped(String path) {
    return path.replace("%", "%25").replace("\n", "%0A").replace("\r", "%0D");
  }

  private static String unescaped(String path) {
    return path.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%");
  }

  /** Whether a request on a path has to wait. */
  public boolean locks(String path) {
    return held.stream().anyMatch(lock -> lock.covers(path));
  }

  /** Whether others hold what somebody wants. */
  public boolean meet(Collection<Lock> wanted) {
    return held.stream()
        .anyMatch(
            lock ->
                wanted.stream()
                    .anyMatch(one -> !one.holder().equals(lock.holder()) && one.meets(lock)));
  }

  /** These and others; what somebody holds already is held once. */
  public InstanceLocks with(Collection<Lock> more) {
    var all = new ArrayList<>(held);
    more.stream().filter(lock -> !all.contains(lock)).forEach(all::add);
    return new InstanceLocks(all);
  }

  /** These without those of a holder. */
  public InstanceLocks without(String holder) {
    return new InstanceLocks(held.stream().filter(lock -> !lock.holder().equals(holder)).toList());
  }
}
