package org.apache.zookeeper;

import java.util.List;
import org.apache.zookeeper.data.ACL;

/**
 * A creation in a transaction that returns the new znode's stat. ZooKeeper's protocol supports it,
 * but {@link Op} exposes it only inside this package.
 */
public final class CreateWithStat {
  private CreateWithStat() {}

  public static Op of(String path, byte[] data, List<ACL> acl, CreateMode mode) {
    return Op.create(
        path, data, CreateOptions.newBuilder(acl, mode).build(), ZooDefs.OpCode.create2);
  }
}
