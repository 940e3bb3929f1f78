package io.ensemble.zoofence.session.routing;

import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.flattening.ZnodePaths;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.jute.Record;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.OpCode;

/**
 * The size of a write on its way through a queue. A request larger than a server accepts would be
 * retried forever, so it must not enter a queue. Each sum is the size of one request to a server.
 * The constants beside the lengths bound the size of a name, an access list and headers.
 */
public final class RequestSize {
  private static final int OVERHEAD_BYTES = 4096;
  private static final int NUMBER_BYTES = 10;
  private static final int STAT_BYTES = 72;
  private static final int RESULT_BYTES = 13;
  private static final int SLOT_BYTES = 16;
  private static final int LOCK_BYTES = 40;
  private static final int OWNED_BYTES = 112;
  private static final int FREED_BYTES = 48;
  private static final int RECORD_BYTES = 180;

  private final long credentialBytes;
  private final long command;
  private long atInstance;
  private long locked;
  private long outcome;
  private long records;

  private RequestSize(ZooKeeperRequest write, List<QueueCommand.Credential> credentials) {
    credentialBytes = credentials.stream().mapToLong(RequestSize::bytes).sum();
    command = OVERHEAD_BYTES + write.body().remaining() + credentialBytes;
    atInstance = OVERHEAD_BYTES + write.body().remaining();
    locked = OVERHEAD_BYTES;
    outcome = RESULT_BYTES;
    records = OVERHEAD_BYTES;
  }

  /** The size in bytes of the largest request that a write causes. */
  static long of(ZooKeeperRequest write, List<QueueCommand.Credential> credentials) {
    var bulk = new RequestSize(write, credentials);
    if (write.type() == OpCode.multi) {
      for (Op operation : RouteFinder.operations(write.body())) {
        bulk.add(operation.getType(), operation.getPath(), operation.toRequestRecord());
      }
    } else {
      bulk.add(write.type(), write.path(), WriteValidator.read(write));
    }
    return bulk.largest();
  }

  /** The size of a credential, in bytes; each command contains the client's credentials. */
  public static long bytes(QueueCommand.Credential credential) {
    return 2L * Integer.BYTES + length(credential.scheme()) + credential.proof().remaining();
  }

  private void add(int type, String path, Record write) {
    boolean creates = RouteFinder.isCreate(type);
    long plain = length(path) + (creates ? NUMBER_BYTES : 0);
    long escaped = length(ZooFencePaths.escaped(path)) + (creates ? NUMBER_BYTES : 0);
    atInstance += plain + SLOT_BYTES;
    locked += escaped + length(ZooFencePaths.escaped(ZnodePaths.parent(path))) + 2 * LOCK_BYTES;
    outcome += RESULT_BYTES;
    if (creates) {
      outcome += plain;
    }
    if (type != OpCode.create && type != OpCode.delete && type != OpCode.check) {
      outcome += STAT_BYTES;
    }
    if (creates && WriteValidator.isOwned(write)) {
      atInstance += escaped + OWNED_BYTES;
      records += escaped + plain + credentialBytes + RECORD_BYTES;
    } else if (type == OpCode.delete) {
      atInstance += escaped + FREED_BYTES;
    }
  }

  private long largest() {
    // The outcome is a name, with four letters for three bytes.
    long atEnd = records + (outcome + 2) / 3 * 4;
    return Math.max(Math.max(command, atInstance), Math.max(locked, atEnd));
  }

  private static int length(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}
