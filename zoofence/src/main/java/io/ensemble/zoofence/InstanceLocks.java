package io.ensemble.zoofence;

import io.ensemble.zoofence.flattening.ZnodePaths;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The locks at an instance, as its guard znode stores them: one line for each lock. Immutable.
 *
 * @param held the locks, in the order in which they were taken
 */
public record InstanceLocks(List<Lock> held) {
  public static final InstanceLocks NONE = new InstanceLocks(List.of());

  /**
   * One lock.
   *
   * @param holder the command that holds the lock
   * @param whole whether the lock also covers everything below the path
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

  /** Reads the data of a guard znode. */
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

  /**
   * Escapes line ends, which a client may write into a path: they must not end the line of a lock.
   */
  private static String escaped(String path) {
    return path.replace("%", "%25").replace("\n", "%0A").replace("\r", "%0D");
  }

  private static String unescaped(String path) {
    return path.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%");
  }

  /** Whether a request on a path has to wait for a lock. */
  public boolean locks(String path) {
    return held.stream().anyMatch(lock -> lock.covers(path));
  }

  /** Whether one of the wanted locks conflicts with a lock of another holder. */
  public boolean meet(Collection<Lock> wanted) {
    return held.stream()
        .anyMatch(
            lock ->
                wanted.stream()
                    .anyMatch(one -> !one.holder().equals(lock.holder()) && one.meets(lock)));
  }

  /** These locks and more; a lock that is already held is not added again. */
  public InstanceLocks with(Collection<Lock> more) {
    var all = new ArrayList<>(held);
    more.stream().filter(lock -> !all.contains(lock)).forEach(all::add);
    return new InstanceLocks(all);
  }

  /** These locks without those of a holder. */
  public InstanceLocks without(String holder) {
    return new InstanceLocks(held.stream().filter(lock -> !lock.holder().equals(holder)).toList());
  }
}
