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
  private final long commandBytes;
  private long instanceBytes;
  private long lockBytes;
  private long outcomeBytes;
  private long recordBytes;

  private RequestSize(ZooKeeperRequest write, List<QueueCommand.Credential> credentials) {
    credentialBytes = credentials.stream().mapToLong(RequestSize::bytes).sum();
    commandBytes = OVERHEAD_BYTES + write.body().remaining() + credentialBytes;
    instanceBytes = OVERHEAD_BYTES + write.body().remaining();
    lockBytes = OVERHEAD_BYTES;
    outcomeBytes = RESULT_BYTES;
    recordBytes = OVERHEAD_BYTES;
  }

  /** The size in bytes of the largest request that a write causes. */
  static long of(ZooKeeperRequest write, List<QueueCommand.Credential> credentials) {
    var size = new RequestSize(write, credentials);
    if (write.type() == OpCode.multi) {
      for (Op operation : RouteFinder.operations(write.body())) {
        size.add(operation.getType(), operation.getPath(), operation.toRequestRecord());
      }
    } else {
      size.add(write.type(), write.path(), WriteValidator.read(write));
    }
    return size.maxBytes();
  }

  /** The size of a credential, in bytes; each command contains the client's credentials. */
  public static long bytes(QueueCommand.Credential credential) {
    return 2L * Integer.BYTES + length(credential.scheme()) + credential.proof().remaining();
  }

  private void add(int type, String path, Record write) {
    boolean isCreation = RouteFinder.isCreate(type);
    long pathBytes = length(path) + (isCreation ? NUMBER_BYTES : 0);
    long escapedBytes = length(ZooFencePaths.escaped(path)) + (isCreation ? NUMBER_BYTES : 0);
    instanceBytes += pathBytes + SLOT_BYTES;
    lockBytes +=
        escapedBytes + length(ZooFencePaths.escaped(ZnodePaths.parent(path))) + 2 * LOCK_BYTES;
    outcomeBytes += RESULT_BYTES;
    if (isCreation) {
      outcomeBytes += pathBytes;
    }
    if (type != OpCode.create && type != OpCode.delete && type != OpCode.check) {
      outcomeBytes += STAT_BYTES;
    }
    if (isCreation && WriteValidator.isOwned(write)) {
      instanceBytes += escapedBytes + OWNED_BYTES;
      recordBytes += escapedBytes + pathBytes + credentialBytes + RECORD_BYTES;
    } else if (type == OpCode.delete) {
      instanceBytes += escapedBytes + FREED_BYTES;
    }
  }

  private long maxBytes() {
    // The outcome is a name, with four letters for three bytes.
    long finishBytes = recordBytes + (outcomeBytes + 2) / 3 * 4;
    return Math.max(Math.max(commandBytes, instanceBytes), Math.max(lockBytes, finishBytes));
  }

  private static int length(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}
