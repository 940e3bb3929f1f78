package io.ensemble.benchmarks.etcd;

import io.grpc.CallOptions;
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

  private static final MethodDescriptor<byte[], byte[]> RANGE = method("Range");
  private static final MethodDescriptor<byte[], byte[]> PUT = method("Put");
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

  private final ManagedChannel channel;

  /**
   * A client of the server at that address, as {@code 127.0.0.1:2379}. Connects when it is first
   * used.
   */
  public EtcdClient(String address) {
    this.channel = Grpc.newChannelBuilder(address, InsecureChannelCredentials.create()).build();
  }

  private static MethodDescriptor<byte[], byte[]> method(String name) {
    return MethodDescriptor.newBuilder(BYTES, BYTES)
        .setType(MethodDescriptor.MethodType.UNARY)
        .setFullMethodName(MethodDescriptor.generateFullMethodName("etcdserverpb.KV", name))
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
    return first(ClientCalls.blockingUnaryCall(channel, RANGE, options(), request));
  }

  private static Optional<KeyRevision> first(byte[] answer) {
    KeyRevision[] found = new KeyRevision[1];
    ProtobufWireFormat.read(
        ByteBuffer.wrap(answer),
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
    CompletableFuture<Long> done = new CompletableFuture<>();
    ClientCalls.asyncUnaryCall(channel.newCall(PUT, options()), request, new SingleResponse(done));
    return done;
  }

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

  /** The single response of a call. */
  private record SingleResponse(CompletableFuture<Long> done) implements StreamObserver<byte[]> {
    @Override
    public void onNext(byte[] answer) {
      done.complete(revision(answer));
    }

    @Override
    public void onError(Throwable failure) {
      done.completeExceptionally(failure);
    }

    @Override
    public void onCompleted() {
      done.completeExceptionally(new IllegalStateException("etcd ended without an answer"));
    }
  }
}
