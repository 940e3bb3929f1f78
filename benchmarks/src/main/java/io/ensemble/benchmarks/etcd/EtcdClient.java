package io.ensemble.benchmarks.etcd;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A connection to one etcd server. Thread-safe: callers share it, as in a program. */
public final class EtcdClient implements AutoCloseable {

  private static final MethodDescriptor.Marshaller<byte[]> BYTES =
      new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] message) {
          return new ByteArrayInputStream(message);
        }

        @Override
        public byte[] parse(InputStream message) {
          try {
            return message.readAllBytes();
          } catch (IOException e) {
            throw new UncheckedIOException("an answer of etcd cannot be read", e);
          }
        }
      };

  private static final MethodDescriptor<byte[], byte[]> RANGE =
      method("KV", "Range", MethodDescriptor.MethodType.UNARY);
  private static final MethodDescriptor<byte[], byte[]> PUT =
      method("KV", "Put", MethodDescriptor.MethodType.UNARY);
  private static final MethodDescriptor<byte[], byte[]> WATCH =
      method("Watch", "Watch", MethodDescriptor.MethodType.BIDI_STREAMING);
  private static final MethodDescriptor<byte[], byte[]> TXN =
      method("KV", "Txn", MethodDescriptor.MethodType.UNARY);
  private static final long LONGEST_SECONDS = 30;

  // Fields of etcd's messages.
  private static final int KEY = 1;
  private static final int RANGE_REVISION = 4;
  private static final int RANGE_SERIALIZABLE = 7;
  private static final int PUT_VALUE = 2;
  private static final int HEADER = 1;
  private static final int HEADER_REVISION = 3;
  private static final int ANSWER_KEYS = 2;
  private static final int KEY_MOD_REVISION = 3;
  private static final int KEY_VALUE = 5;
  private static final int TXN_COMPARE = 1;
  private static final int TXN_SUCCESS = 2;
  private static final int TXN_FAILURE = 3;
  private static final int TXN_SUCCEEDED = 2;
  private static final int TXN_RESPONSES = 3;
  private static final int OP_RANGE = 1;
  private static final int OP_PUT = 2;
  private static final int COMPARE_TARGET = 2;
  private static final int COMPARE_MOD = 2;
  private static final int COMPARE_KEY = 3;
  private static final int COMPARE_MOD_REVISION = 6;
  private static final int WATCH_CREATE = 1;
  private static final int WATCH_START_REVISION = 3;
  private static final int WATCH_CANCELED = 4;
  private static final int WATCH_EVENTS = 11;
  private static final int EVENT_KEY = 2;

  private final ManagedChannel channel;

  /**
   * A client of the server at that address, as {@code 127.0.0.1:2379}. Connects when it is first
   * used.
   */
  public EtcdClient(String address) {
    this.channel = Grpc.newChannelBuilder(address, InsecureChannelCredentials.create()).build();
  }

  private static MethodDescriptor<byte[], byte[]> method(
      String service, String name, MethodDescriptor.MethodType type) {
    return MethodDescriptor.newBuilder(BYTES, BYTES)
        .setType(type)
        .setFullMethodName(MethodDescriptor.generateFullMethodName("etcdserverpb." + service, name))
        .build();
  }

  private static CallOptions options() {
    return CallOptions.DEFAULT.withDeadlineAfter(LONGEST_SECONDS, TimeUnit.SECONDS);
  }

  /**
   * The content of a key; empty if there is none.
   *
   * @param revision the revision to read as of; 0 for now
   * @param serializable whether to read the state of this server, which may be old; otherwise the
   *     read is agreed upon by a majority of servers, which is etcd's default
   */
  public Optional<KeyRevision> get(byte[] key, long revision, boolean serializable) {
    byte[] request =
        new ProtobufWireFormat.Writer()
            .bytes(KEY, key)
            .number(RANGE_REVISION, revision)
            .number(RANGE_SERIALIZABLE, serializable ? 1 : 0)
            .message();
    return first(
        ByteBuffer.wrap(ClientCalls.blockingUnaryCall(channel, RANGE, options(), request)));
  }

  private static Optional<KeyRevision> first(ByteBuffer rangeAnswer) {
    KeyRevision[] found = new KeyRevision[1];
    ProtobufWireFormat.read(
        rangeAnswer,
        new ProtobufWireFormat.Fields() {
          @Override
          public void bytes(int field, ByteBuffer value) {
            if (field == ANSWER_KEYS && found[0] == null) {
              found[0] = key(value);
            }
          }
        });
    return Optional.ofNullable(found[0]);
  }

  private static KeyRevision key(ByteBuffer message) {
    long[] revision = {0};
    byte[][] content = {new byte[0]};
    ProtobufWireFormat.read(
        message,
        new ProtobufWireFormat.Fields() {
          @Override
          public void number(int field, long value) {
            revision[0] = field == KEY_MOD_REVISION ? value : revision[0];
          }

          @Override
          public void bytes(int field, ByteBuffer value) {
            if (field == KEY_VALUE) {
              content[0] = new byte[value.remaining()];
              value.get(content[0]);
            }
          }
        });
    return new KeyRevision(revision[0], content[0]);
  }

  /** Writes a key; completes, on a thread of gRPC, with the revision of the write. */
  public CompletableFuture<Long> put(byte[] key, byte[] value) {
    byte[] request =
        new ProtobufWireFormat.Writer().bytes(KEY, key).bytes(PUT_VALUE, value).message();
    PutObserver written = new PutObserver();
    ClientCalls.asyncUnaryCall(channel.newCall(PUT, options()), request, written);
    return written.done;
  }

  /**
   * The first contents of a key from a revision on, by a watch of its own, which then ends. Waits
   * until there are as many.
   *
   * @param fromRevision the first revision to read; must not be compacted
   */
  public List<KeyRevision> watch(byte[] key, long fromRevision, int count) {
    byte[] create =
        new ProtobufWireFormat.Writer()
            .bytes(KEY, key)
            .number(WATCH_START_REVISION, fromRevision)
            .message();
    ClientCall<byte[], byte[]> call = channel.newCall(WATCH, options());
    WatchObserver watched = new WatchObserver(count);
    StreamObserver<byte[]> requests = ClientCalls.asyncBidiStreamingCall(call, watched);
    requests.onNext(new ProtobufWireFormat.Writer().bytes(WATCH_CREATE, create).message());
    try {
      return watched.done.join();
    } finally {
      call.cancel("read", null);
    }
  }

  /** Adds the contents that an answer to a watch has; fails if the server has ended the watch. */
  static void addEvents(byte[] watchAnswer, List<KeyRevision> found) {
    ProtobufWireFormat.Fields ofEvent =
        new ProtobufWireFormat.Fields() {
          @Override
          public void bytes(int field, ByteBuffer value) {
            if (field == EVENT_KEY) {
              found.add(key(value));
            }
          }
        };
    ProtobufWireFormat.read(
        ByteBuffer.wrap(watchAnswer),
        new ProtobufWireFormat.Fields() {
          @Override
          public void number(int field, long value) {
            if (field == WATCH_CANCELED && value != 0) {
              throw new IllegalStateException("etcd ended the watch");
            }
          }

          @Override
          public void bytes(int field, ByteBuffer value) {
            if (field == WATCH_EVENTS) {
              ProtobufWireFormat.read(value, ofEvent);
            }
          }
        });
  }

  /**
   * Writes a key if another key has not changed, in one transaction.
   *
   * @param compared must have this revision as its last one; 0 if it must not exist
   * @return whether it was written
   */
  public boolean putIf(byte[] compared, long modRevision, byte[] key, byte[] value) {
    byte[] request = putIfUnchanged(compared, modRevision, key, value).message();
    return isSucceeded(ClientCalls.blockingUnaryCall(channel, TXN, options(), request));
  }

  /**
   * Writes a key if it has not changed, and reads it otherwise, in one transaction.
   *
   * @param modRevision the expected last revision of the key; 0 if it must not exist
   */
  public EtcdSwap putOrGet(byte[] key, long modRevision, byte[] value) {
    byte[] range = new ProtobufWireFormat.Writer().bytes(KEY, key).message();
    byte[] request =
        putIfUnchanged(key, modRevision, key, value)
            .bytes(TXN_FAILURE, new ProtobufWireFormat.Writer().bytes(OP_RANGE, range).message())
            .message();
    return swap(ClientCalls.blockingUnaryCall(channel, TXN, options(), request), value);
  }

  private static ProtobufWireFormat.Writer putIfUnchanged(
      byte[] compared, long modRevision, byte[] key, byte[] value) {
    byte[] put = new ProtobufWireFormat.Writer().bytes(KEY, key).bytes(PUT_VALUE, value).message();
    byte[] comparison =
        new ProtobufWireFormat.Writer()
            .number(COMPARE_TARGET, COMPARE_MOD)
            .bytes(COMPARE_KEY, compared)
            .number(COMPARE_MOD_REVISION, modRevision)
            .message();
    return new ProtobufWireFormat.Writer()
        .bytes(TXN_COMPARE, comparison)
        .bytes(TXN_SUCCESS, new ProtobufWireFormat.Writer().bytes(OP_PUT, put).message());
  }

  private static boolean isSucceeded(byte[] txnAnswer) {
    boolean[] succeeded = {false};
    ProtobufWireFormat.read(
        ByteBuffer.wrap(txnAnswer),
        new ProtobufWireFormat.Fields() {
          @Override
          public void number(int field, long value) {
            succeeded[0] |= field == TXN_SUCCEEDED && value != 0;
          }
        });
    return succeeded[0];
  }

  /**
   * The outcome of {@link #putOrGet}.
   *
   * @param written the value of the request
   * @throws IllegalStateException if the key was neither written nor found
   */
  static EtcdSwap swap(byte[] txnAnswer, byte[] written) {
    if (isSucceeded(txnAnswer)) {
      return new EtcdSwap(true, new KeyRevision(revision(txnAnswer), written));
    }
    KeyRevision[] found = new KeyRevision[1];
    ProtobufWireFormat.Fields ofResponse =
        new ProtobufWireFormat.Fields() {
          @Override
          public void bytes(int field, ByteBuffer value) {
            if (field == OP_RANGE) {
              found[0] = first(value).orElse(null);
            }
          }
        };
    ProtobufWireFormat.read(
        ByteBuffer.wrap(txnAnswer),
        new ProtobufWireFormat.Fields() {
          @Override
          public void bytes(int field, ByteBuffer value) {
            if (field == TXN_RESPONSES) {
              ProtobufWireFormat.read(value, ofResponse);
            }
          }
        });
    if (found[0] == null) {
      throw new IllegalStateException("etcd did not write the key, and does not have it");
    }
    return new EtcdSwap(false, found[0]);
  }

  /** The revision in the header of an answer to a write. */
  static long revision(byte[] putAnswer) {
    long[] revision = {0};
    ProtobufWireFormat.Fields ofHeader =
        new ProtobufWireFormat.Fields() {
          @Override
          public void number(int field, long value) {
            revision[0] = field == HEADER_REVISION ? value : revision[0];
          }
        };
    ProtobufWireFormat.read(
        ByteBuffer.wrap(putAnswer),
        new ProtobufWireFormat.Fields() {
          @Override
          public void bytes(int field, ByteBuffer value) {
            if (field == HEADER) {
              ProtobufWireFormat.read(value, ofHeader);
            }
          }
        });
    return revision[0];
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }

  /** Receives the responses of a call until its result is known. */
  private abstract static class ResultObserver<R> implements StreamObserver<byte[]> {

    final CompletableFuture<R> done = new CompletableFuture<>();

    @Override
    public void onError(Throwable failure) {
      done.completeExceptionally(failure);
    }

    @Override
    public void onCompleted() {
      done.completeExceptionally(new IllegalStateException("etcd ended without an answer"));
    }
  }

  /** The revision of a write. */
  private static final class PutObserver extends ResultObserver<Long> {
    @Override
    public void onNext(byte[] answer) {
      done.complete(revision(answer));
    }
  }

  /** The first contents that a watch shows. */
  private static final class WatchObserver extends ResultObserver<List<KeyRevision>> {

    private final List<KeyRevision> found = new ArrayList<>();
    private final int count;

    WatchObserver(int count) {
      this.count = count;
    }

    @Override
    public void onNext(byte[] answer) {
      if (done.isDone()) {
        return;
      }
      try {
        addEvents(answer, found);
      } catch (IllegalStateException e) {
        done.completeExceptionally(e);
      }
      if (found.size() >= count) {
        done.complete(List.copyOf(found.subList(0, count)));
      }
    }
  }
}
