package io.ensemble.zoofence.differential;

import io.ensemble.zoofence.wire.StatTranslator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;

/** Calls that a seed chooses, and replies as texts that do not depend on the system. */
final class RandomCalls {
  private static final List<String> NAMES = List.of("a", "b", "c");
  private static final long LONG_MILLIS = 1L << 39;

  private final Random random;

  RandomCalls(long seed) {
    this.random = new Random(seed);
  }

  /** A call that can be made to several clients. */
  interface Call {
    String on(ZooKeeper client) throws KeeperException, InterruptedException;
  }

  /** A call and its description. */
  record Named(String words, Call call) {
    /** The reply as a text: a result or an error. */
    String answer(ZooKeeper client) throws InterruptedException {
      try {
        return call.on(client);
      } catch (KeeperException e) {
        return results(e);
      }
    }

    private static String results(KeeperException e) {
      List<OpResult> results = e.getResults();
      return results == null ? e.code().name() : e.code().name() + " " + texts(results);
    }
  }

  Named next() {
    String path = path();
    int version = random.nextInt(3) == 0 ? random.nextInt(3) : -1;
    byte[] data = {(byte) random.nextInt(100)};
    return switch (random.nextInt(14)) {
      case 0, 1, 2, 3 -> create(path, data);
      case 4, 5 ->
          new Named(
              "delete " + path + " " + version,
              client -> {
                client.delete(path, version);
                return "deleted";
              });
      case 6, 7 ->
          new Named(
              "setData " + path + " " + version,
              client -> stat(client.setData(path, data, version), client));
      case 8 ->
          new Named(
              "getData " + path,
              client -> {
                var stat = new Stat();
                byte[] read = client.getData(path, false, stat);
                return Arrays.toString(read) + " " + stat(stat, client);
              });
      case 9 ->
          new Named(
              "exists " + path,
              client -> {
                Stat stat = client.exists(path, false);
                return stat == null ? "absent" : stat(stat, client);
              });
      case 10 ->
          new Named(
              "getChildren " + path,
              client -> {
                var stat = new Stat();
                List<String> children = client.getChildren(path, false, stat);
                return sorted(children) + " " + stat(stat, client);
              });
      case 11 -> multi();
      case 12 -> acl(path, version);
      default ->
          random.nextBoolean()
              ? new Named(
                  "getEphemerals " + path, client -> sorted(client.getEphemerals(path)).toString())
              : new Named(
                  "count " + path, client -> Integer.toString(client.getAllChildrenNumber(path)));
    };
  }

  private Named create(String path, byte[] data) {
    CreateMode mode = mode();
    if (mode.isTTL() || random.nextBoolean()) {
      var stat = new Stat();
      long ttl = mode.isTTL() ? LONG_MILLIS : -1;
      return new Named(
          "create2 " + mode + " " + path,
          client ->
              client.create(path, data, Ids.OPEN_ACL_UNSAFE, mode, stat, ttl)
                  + " "
                  + stat(stat, client));
    }
    return new Named(
        "create " + mode + " " + path,
        client -> client.create(path, data, Ids.OPEN_ACL_UNSAFE, mode));
  }

  private CreateMode mode() {
    return switch (random.nextInt(10)) {
      case 6 -> CreateMode.CONTAINER;
      case 7 -> CreateMode.PERSISTENT_WITH_TTL;
      case 8 -> CreateMode.PERSISTENT_SEQUENTIAL_WITH_TTL;
      case 0 -> CreateMode.EPHEMERAL;
      case 1 -> CreateMode.PERSISTENT_SEQUENTIAL;
      case 2 -> CreateMode.EPHEMERAL_SEQUENTIAL;
      default -> CreateMode.PERSISTENT;
    };
  }

  private Named multi() {
    var operations = new ArrayList<Op>();
    var words = new StringBuilder("multi");
    for (int count = 1 + random.nextInt(3); count > 0; count--) {
      String path = path();
      int version = random.nextInt(4) == 0 ? random.nextInt(3) : -1;
      Op operation =
          switch (random.nextInt(4)) {
            case 0 -> Op.setData(path, new byte[] {1}, version);
            case 1 -> Op.delete(path, version);
            case 2 -> Op.check(path, version);
            default -> create(path);
          };
      operations.add(operation);
      words
          .append(' ')
          .append(operation.getType())
          .append(' ')
          .append(path)
          .append(' ')
          .append(version);
    }
    return new Named(words.toString(), client -> texts(client.multi(operations)));
  }

  private Op create(String path) {
    byte[] data = {2};
    return switch (random.nextInt(4)) {
      case 0 -> Op.create(path, data, Ids.OPEN_ACL_UNSAFE, CreateMode.CONTAINER);
      case 1 ->
          Op.create(path, data, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_WITH_TTL, LONG_MILLIS);
      default -> Op.create(path, data, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    };
  }

  private Named acl(String path, int version) {
    if (random.nextBoolean()) {
      return new Named(
          "getACL " + path,
          client -> {
            var stat = new Stat();
            List<ACL> list = client.getACL(path, stat);
            return list + " " + stat(stat, client);
          });
    }
    // Both lists allow everything: the test compares the list and its version.
    List<ACL> list =
        random.nextBoolean()
            ? Ids.OPEN_ACL_UNSAFE
            : new ArrayList<>(
                List.of(Ids.OPEN_ACL_UNSAFE.get(0), new ACL(1, Ids.ANYONE_ID_UNSAFE)));
    return new Named(
        "setACL " + path + " " + version,
        client -> stat(client.setACL(path, list, version), client));
  }

  private String path() {
    var path = new StringBuilder();
    for (int depth = random.nextInt(3); depth >= 0; depth--) {
      path.append('/').append(NAMES.get(random.nextInt(NAMES.size())));
    }
    return path.toString();
  }

  private static String texts(List<OpResult> results) {
    return results.stream().map(RandomCalls::text).toList().toString();
  }

  private static String text(OpResult result) {
    if (result instanceof OpResult.CreateResult made) {
      return "created " + made.getPath() + (made.getStat() == null ? "" : " with a stat");
    }
    if (result instanceof OpResult.SetDataResult set) {
      return "set " + set.getStat().getVersion();
    }
    return result instanceof OpResult.ErrorResult error ? "error " + error.getErr() : "done";
  }

  private static List<String> sorted(List<String> names) {
    return names.stream().sorted().toList();
  }

  /** A stat without transactions and times; the owner is the client or another session. */
  private static String stat(Stat stat, ZooKeeper client) {
    var words = new TreeMap<String, Object>();
    words.put("version", stat.getVersion());
    words.put("cversion", stat.getCversion());
    words.put("aversion", stat.getAversion());
    words.put("length", stat.getDataLength());
    words.put("children", stat.getNumChildren());
    words.put(
        "owner",
        stat.getEphemeralOwner() == 0
            ? "nobody"
            : !StatTranslator.isSession(stat.getEphemeralOwner())
                ? Long.toHexString(stat.getEphemeralOwner())
                : stat.getEphemeralOwner() == client.getSessionId() ? "self" : "other");
    return words.toString();
  }
}
