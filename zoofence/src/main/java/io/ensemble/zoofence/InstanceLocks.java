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
    private boolean isCovering(String other) {
      return whole ? ZnodePaths.under(other, path) : other.equals(path);
    }

    private boolean isOverlapping(Lock other) {
      return isCovering(other.path) || other.isCovering(path);
    }
  }

  public InstanceLocks {
    held = List.copyOf(held);
  }

  /** Reads the data of a guard znode. */
  public static InstanceLocks read(ByteBuffer data) {
    var locks = new ArrayList<Lock>();
    for (String line :
        StandardCharsets.UTF_8.decode(data.duplicate()).toString().lines().toList()) {
      String[] words = line.split(" ", 3);
      if (words.length == 3) {
        locks.add(new Lock(words[0], words[1].equals("whole"), unescape(words[2])));
      }
    }
    return new InstanceLocks(locks);
  }

  public byte[] bytes() {
    var text = new StringBuilder();
    for (Lock lock : held) {
      text.append(lock.holder())
          .append(lock.whole() ? " whole " : " alone ")
          .append(escape(lock.path()))
          .append('\n');
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Escapes line ends, which a client may write into a path: they must not end the line of a lock.
   */
  private static String escape(String path) {
    return path.replace("%", "%25").replace("\n", "%0A").replace("\r", "%0D");
  }

  private static String unescape(String path) {
    return path.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%");
  }

  /** Whether a request on a path has to wait for a lock. */
  public boolean isLocked(String path) {
    return held.stream().anyMatch(lock -> lock.isCovering(path));
  }

  /** Whether one of the wanted locks conflicts with a lock of another holder. */
  public boolean hasConflict(Collection<Lock> requestedLocks) {
    return held.stream()
        .anyMatch(
            lock ->
                requestedLocks.stream()
                    .anyMatch(
                        requested ->
                            !requested.holder().equals(lock.holder())
                                && requested.isOverlapping(lock)));
  }

  /** These locks and more; a lock that is already held is not added again. */
  public InstanceLocks with(Collection<Lock> added) {
    var joined = new ArrayList<>(held);
    added.stream().filter(lock -> !joined.contains(lock)).forEach(joined::add);
    return new InstanceLocks(joined);
  }

  /** These locks without those of a holder. */
  public InstanceLocks without(String holder) {
    return new InstanceLocks(held.stream().filter(lock -> !lock.holder().equals(holder)).toList());
  }
}
