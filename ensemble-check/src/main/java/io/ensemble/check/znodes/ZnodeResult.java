package io.ensemble.check.znodes;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * The result of a ZooKeeper call.
 *
 * @param error 0 for none
 * @param name the name of the created znode
 * @param children the names, if they were requested
 * @param results the results of a transaction
 */
record ZnodeResult(
    int error,
    @Nullable Stat stat,
    @Nullable String data,
    @Nullable String name,
    List<String> children,
    List<OpResult> results) {

  /** No answer within the maximum time of any call. */
  static final ZnodeResult NONE = of(Integer.MIN_VALUE);

  static ZnodeResult of(int error) {
    return new ZnodeResult(error, null, null, null, List.of(), List.of());
  }

  static ZnodeResult of(int error, @Nullable Stat stat, byte @Nullable [] data) {
    String text = data == null ? null : new String(data, UTF_8);
    return new ZnodeResult(error, stat, text, null, List.of(), List.of());
  }

  boolean succeeded() {
    return error == 0;
  }

  boolean failedWith(Code code) {
    return error == code.intValue();
  }

  /** Whether the outcome is unknown, however the request was sent. */
  boolean isLost() {
    return failedWith(Code.CONNECTIONLOSS)
        || failedWith(Code.SESSIONEXPIRED)
        || failedWith(Code.SESSIONMOVED);
  }

  String words() {
    Code code = this.equals(NONE) ? null : Code.get(error);
    return code == null ? "nothing" : code.toString();
  }
}
