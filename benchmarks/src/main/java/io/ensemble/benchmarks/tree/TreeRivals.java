package io.ensemble.benchmarks.tree;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.benchmarks.etcd.EtcdClient;
import io.ensemble.benchmarks.etcd.KeyRevision;
import io.ensemble.tree.SharedTree;
import java.util.List;
import java.util.Optional;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

/** The contestants of figure 6. */
final class TreeRivals {

  static final String SHARED = "/shared";
  private static final String OWN = "/clients/%d/value";

  private TreeRivals() {}

  /** The name of the tree as a contestant. */
  static String nameOf(boolean isAnyChangeAConflict) {
    return isAnyChangeAConflict ? "tree, any change is a conflict" : "tree";
  }

  /**
   * A shared tree.
   *
   * @param wholeTree whether every change anywhere is a conflict, as in the first Xenstored
   */
  static TreeContestant tree(SharedTree tree, int client, boolean wholeTree) {
    String own = OWN.formatted(client);
    tree.write(own, new byte[0]);
    return new TreeContestant() {
      @Override
      public int transaction(int number) {
        int[] runs = {0};
        tree.transact(
            t -> {
              runs[0]++;
              if (wholeTree) {
                t.lastChange("/");
              }
              t.read(SHARED);
              t.write(own, String.valueOf(number).getBytes(UTF_8));
              return true;
            });
        return runs[0] - 1;
      }

      @Override
      public void close() {}
    };
  }

  /** A transaction of etcd that compares the revision of the key that was read. */
  static TreeContestant etcd(String address, int client) {
    EtcdClient etcd = new EtcdClient(address);
    byte[] shared = SHARED.getBytes(UTF_8);
    byte[] own = OWN.formatted(client).getBytes(UTF_8);
    return new TreeContestant() {
      @Override
      public int transaction(int number) {
        for (int repeated = 0; ; repeated++) {
          Optional<KeyRevision> read = etcd.get(shared, 0, false);
          if (etcd.putIf(
              shared,
              read.map(KeyRevision::modRevision).orElse(0L),
              own,
              String.valueOf(number).getBytes(UTF_8))) {
            return repeated;
          }
        }
      }

      @Override
      public void close() {
        etcd.close();
      }
    };
  }

  /** A {@code multi} of ZooKeeper that checks the version of the znode that was read. */
  static TreeContestant zooKeeper(String address, int client) throws Exception {
    ZooKeeper zooKeeper = new ZooKeeper(address, 60_000, event -> {});
    String own = OWN.formatted(client);
    for (String path : List.of(SHARED, "/clients", "/clients/" + client, own)) {
      try {
        zooKeeper.create(path, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      } catch (KeeperException.NodeExistsException exists) {
        // Another client was first.
      }
    }
    return new TreeContestant() {
      @Override
      public int transaction(int number) throws Exception {
        for (int repeated = 0; ; repeated++) {
          Stat stat = new Stat();
          zooKeeper.getData(SHARED, false, stat);
          try {
            zooKeeper.multi(
                List.of(
                    Op.check(SHARED, stat.getVersion()),
                    Op.setData(own, String.valueOf(number).getBytes(UTF_8), -1)));
            return repeated;
          } catch (KeeperException.BadVersionException changed) {
            // The read was old.
          }
        }
      }

      @Override
      public void close() throws Exception {
        zooKeeper.close();
      }
    };
  }
}
