package io.ensemble.benchmarks.objects.worker;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.benchmarks.etcd.EtcdClient;
import io.ensemble.benchmarks.etcd.EtcdSwap;
import io.ensemble.benchmarks.etcd.KeyRevision;
import java.nio.ByteBuffer;

/**
 * A number in a key of etcd. A step is a transaction that compares the revision that was seen last,
 * and puts the next number, or else gets the key. So each attempt is one round trip.
 */
final class EtcdNumberClient implements BenchmarkClient {

  private final EtcdClient etcd;
  private final byte[] key;
  private KeyRevision known;

  private EtcdNumberClient(EtcdClient etcd, String name) {
    this.etcd = etcd;
    this.key = name.getBytes(UTF_8);
    this.known = etcd.putOrGet(key, 0, bytes(0)).content();
  }

  /** A client that adds. */
  static BenchmarkClient of(EtcdClient etcd, String name) {
    return new EtcdNumberClient(etcd, name);
  }

  /**
   * A client that reads.
   *
   * @param serializable whether one server answers alone, so that the number may be old
   */
  static BenchmarkClient reading(EtcdClient etcd, String name, boolean serializable) {
    EtcdNumberClient client = new EtcdNumberClient(etcd, name);
    return () -> {
      if (etcd.get(client.key, 0, serializable).isEmpty()) {
        throw new IllegalStateException("a key is not there");
      }
    };
  }

  @Override
  public void runOnce() {
    EtcdSwap swap;
    do {
      swap = etcd.putOrGet(key, known.modRevision(), bytes(number(known) + 1));
      known = swap.content();
    } while (!swap.isWritten());
  }

  @Override
  public long total() {
    return number(etcd.get(key, 0, false).orElseThrow());
  }

  private static long number(KeyRevision content) {
    return ByteBuffer.wrap(content.value()).getLong();
  }

  private static byte[] bytes(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }
}
