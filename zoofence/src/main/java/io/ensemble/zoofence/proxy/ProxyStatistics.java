package io.ensemble.zoofence.proxy;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.server.metric.AvgMinMaxCounter;
import org.apache.zookeeper.server.metric.AvgMinMaxPercentileCounter;

/**
 * What a proxy has done since its start: its packets, and the latency of requests from their
 * arrival to their reply, in milliseconds. Names and units are those of ZooKeeper. Thread-safe.
 */
final class ProxyStatistics {
  private final LongAdder received = new LongAdder();
  private final LongAdder sent = new LongAdder();
  private final LongAdder outstanding = new LongAdder();
  private final LongAdder rejected = new LongAdder();
  private final AvgMinMaxCounter latency = new AvgMinMaxCounter("latency");
  private final AvgMinMaxPercentileCounter reads = new AvgMinMaxPercentileCounter("readlatency");
  private final AvgMinMaxPercentileCounter updates =
      new AvgMinMaxPercentileCounter("updatelatency");

  void recordReceived() {
    received.increment();
  }

  void recordSent() {
    sent.increment();
  }

  /** Records that a client was refused, because there are too many. */
  void recordRejection() {
    rejected.increment();
  }

  /** Records that {@code change} more requests wait for their replies. */
  void changeOutstanding(int change) {
    outstanding.add(change);
  }

  /** Records the latency of a request that was answered. */
  void recordLatency(int type, long nanos) {
    long millis = TimeUnit.NANOSECONDS.toMillis(nanos);
    latency.add(millis);
    (isUpdate(type) ? updates : reads).add(millis);
  }

  private static boolean isUpdate(int type) {
    return switch (type) {
      case OpCode.create,
          OpCode.create2,
          OpCode.createContainer,
          OpCode.createTTL,
          OpCode.delete,
          OpCode.deleteContainer,
          OpCode.setData,
          OpCode.setACL,
          OpCode.multi,
          OpCode.reconfig,
          OpCode.closeSession ->
          true;
      default -> false;
    };
  }

  long received() {
    return received.sum();
  }

  long sent() {
    return sent.sum();
  }

  long outstanding() {
    return outstanding.sum();
  }

  /** The minimum, average and maximum latency, as in the answer to {@code srvr}. */
  String latencies() {
    return latency.getMin() + "/" + latency.getAvg() + "/" + latency.getMax();
  }

  /** All values by the name that {@code mntr} uses. */
  Map<String, Object> values() {
    var values = new LinkedHashMap<String, Object>();
    values.put("avg_latency", latency.getAvg());
    values.put("max_latency", latency.getMax());
    values.put("min_latency", latency.getMin());
    values.put("packets_received", received());
    values.put("packets_sent", sent());
    values.put("outstanding_requests", outstanding());
    values.put("connection_rejected", rejected.sum());
    values.putAll(reads.values());
    values.putAll(updates.values());
    return values;
  }
}
