package io.ensemble.check.zoofence;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.check.zoofence.FrameRelay.Frame;
import io.ensemble.check.zoofence.FrameRelay.Lie;
import io.ensemble.check.zoofence.FrameRelay.Wires;
import io.ensemble.zoofence.ZooFencePaths;
import io.ensemble.zoofence.wire.Jute;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.proto.CreateResponse;
import org.apache.zookeeper.proto.GetDataResponse;

/** Faults of a proxy or of an executor, as its peers see them. */
final class PlantedProxyFaults {
  private static final int MOMENT_MILLIS = 25;

  /** Long enough for another client to read two znodes, however busy the machine is. */
  private static final int LONG_MOMENT_MILLIS = 150;

  private PlantedProxyFaults() {}

  private static void pause(int millis) {
    try {
      new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** A proxy that acknowledges creations and deletions before they are carried out. */
  static final class Early extends Lie {
    private final Map<Integer, Boolean> acknowledged = new HashMap<>();
    private long zxid;

    @Override
    void request(Frame frame, Wires wires) throws IOException {
      boolean creates = frame.type() == OpCode.create;
      if ((creates || frame.type() == OpCode.delete) && frame.path().contains("/key-")) {
        byte[] body = creates ? bytes(new CreateResponse(frame.path())) : new byte[0];
        acknowledged.put(frame.xid(), true);
        wires.toClient(Frame.reply(frame.xid(), zxid, body));
        pause(MOMENT_MILLIS);
      }
      wires.toServer(frame);
    }

    @Override
    void reply(Frame frame, Wires wires) throws IOException {
      zxid = Math.max(zxid, frame.zxid());
      if (acknowledged.remove(frame.xid()) == null) {
        wires.toClient(frame);
      }
    }
  }

  /** A proxy that answers each read with the reply to the former read of the same path. */
  static final class Stale extends Lie {
    private final Map<Integer, String> asked = new HashMap<>();
    private final Map<String, Frame> last = new HashMap<>();

    @Override
    void request(Frame frame, Wires wires) throws IOException {
      if (frame.type() == OpCode.getData) {
        asked.put(frame.xid(), frame.path());
      }
      wires.toServer(frame);
    }

    @Override
    void reply(Frame frame, Wires wires) throws IOException {
      String path = asked.remove(frame.xid());
      Frame before = path == null ? null : last.put(path, frame);
      wires.toClient(before == null ? frame : before.with(frame.xid(), frame.zxid()));
    }
  }

  /** A proxy that sends the second of two writes before the first. */
  static final class Swapped extends Lie {
    private Frame held;
    private Frame heard;
    private int first;
    private int second;

    @Override
    void request(Frame frame, Wires wires) throws IOException {
      if (frame.type() != OpCode.setData || !frame.path().contains("/order-")) {
        wires.toServer(frame);
      } else if (held == null) {
        held = frame;
        first = frame.xid();
      } else {
        second = frame.xid();
        wires.toServer(frame);
        pause(LONG_MOMENT_MILLIS);
        wires.toServer(held);
        held = null;
      }
    }

    @Override
    void reply(Frame frame, Wires wires) throws IOException {
      if (frame.xid() == second && first != 0) {
        heard = frame;
        return;
      }
      wires.toClient(frame);
      if (frame.xid() == first && heard != null) {
        wires.toClient(heard);
        heard = null;
        first = 0;
      }
    }
  }

  /** An executor that omits writes to some paths at this instance. */
  static final class Left extends Lie {
    private final String of;

    Left(String of) {
      this.of = of;
    }

    @Override
    void request(Frame frame, Wires wires) throws IOException {
      if (frame.type() != OpCode.multi) {
        wires.toServer(frame);
        return;
      }
      ByteBuffer body = ByteBuffer.wrap(frame.bytes()).position(2 * Integer.BYTES);
      List<Op> operations = new ArrayList<>();
      boolean byExecutor = false;
      for (Op one : Jute.read(body.slice(), new MultiOperationRecord())) {
        byExecutor |= one.getPath().startsWith(ZooFencePaths.APPLIED);
        boolean left = one.getType() == OpCode.setData && one.getPath().contains(of);
        operations.add(left ? Op.check(one.getPath(), -1) : one);
      }
      wires.toServer(byExecutor ? with(frame, operations) : frame);
    }

    private static Frame with(Frame frame, List<Op> operations) {
      byte[] body = bytes(new MultiOperationRecord(operations));
      return new Frame(
          ByteBuffer.allocate(2 * Integer.BYTES + body.length)
              .put(frame.bytes(), 0, 2 * Integer.BYTES)
              .put(body)
              .array());
    }
  }

  /** An executor that reads every slot as empty, and writes outcomes late. */
  static final class Forgetful extends Lie {
    private final Map<Integer, String> asked = new HashMap<>();

    @Override
    void request(Frame frame, Wires wires) throws IOException {
      if (frame.type() == OpCode.getData) {
        asked.put(frame.xid(), frame.path());
      }
      if (frame.type() == OpCode.multi
          && new String(frame.bytes(), UTF_8).contains(ZooFencePaths.SESSIONS)) {
        pause(MOMENT_MILLIS);
      }
      wires.toServer(frame);
    }

    @Override
    void reply(Frame frame, Wires wires) throws IOException {
      String path = asked.remove(frame.xid());
      boolean slot =
          path != null
              && path.startsWith(ZooFencePaths.APPLIED)
              && path.contains("/s")
              && frame.error() == 0;
      wires.toClient(
          slot
              ? Frame.reply(
                  frame.xid(), frame.zxid(), bytes(new GetDataResponse(new byte[0], new Stat())))
              : frame);
    }
  }

  private static byte[] bytes(org.apache.jute.Record record) {
    ByteBuffer written = Jute.write(record);
    byte[] bytes = new byte[written.remaining()];
    written.get(bytes);
    return bytes;
  }
}
