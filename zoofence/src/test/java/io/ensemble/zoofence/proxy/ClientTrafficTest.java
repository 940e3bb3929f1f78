package io.ensemble.zoofence.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.zoofence.wire.ZooKeeperReply;
import io.ensemble.zoofence.wire.ZooKeeperRequest;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.junit.jupiter.api.Test;

class ClientTrafficTest {
  private final AtomicLong nowNanos = new AtomicLong();
  private final ProxyStatistics statistics = new ProxyStatistics();
  private final ClientTraffic traffic = new ClientTraffic(statistics, nowNanos::get);

  private void pass(long millis) {
    nowNanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  private void request(int xid, int type) {
    traffic.recordReceived();
    traffic.recordRequest(ZooKeeperRequest.bare(type).numbered(xid));
  }

  private void reply(int xid) {
    traffic.recordSent(ZooKeeperReply.done().addressed(xid, 0).bytes());
  }

  @Test
  void latencyLastsFromTheArrivalOfARequestToItsReply() {
    request(1, OpCode.create);
    pass(5);
    request(2, OpCode.getData);
    pass(7);
    reply(1);
    pass(1);
    reply(2);

    assertThat(statistics.values())
        .containsEntry("max_updatelatency", 12L)
        .containsEntry("max_readlatency", 8L)
        .containsEntry("avg_latency", 10.0)
        .containsEntry("outstanding_requests", 0L);
  }

  @Test
  void eventsAndPingsAreNoRepliesToARequest() {
    request(1, OpCode.getData);
    request(ZooKeeperRequest.PING_XID, OpCode.ping);
    reply(ZooKeeperReply.EVENT_XID);
    reply(ZooKeeperRequest.PING_XID);

    assertThat(statistics.values())
        .containsEntry("cnt_readlatency", 0L)
        .containsEntry("outstanding_requests", 1L)
        .containsEntry("packets_received", 2L)
        .containsEntry("packets_sent", 2L);
  }

  @Test
  void requestsOfAConnectionThatEndsWaitNoMore() {
    request(1, OpCode.getData);
    request(2, OpCode.getData);

    traffic.close();

    assertThat(statistics.outstanding()).isZero();
    assertThat(statistics.values()).containsEntry("cnt_readlatency", 0L);
  }
}
