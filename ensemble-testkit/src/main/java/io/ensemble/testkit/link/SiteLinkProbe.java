package io.ensemble.testkit.link;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.util.Arrays;

/**
 * Measures the actual delay and bandwidth of a link: round trips of single bytes, then bytes in
 * bulk in each direction, through a relay on the link to a node that does no work. Takes about 2 s,
 * during which the link must carry no other traffic.
 */
public final class SiteLinkProbe {

  private static final int WARMING = 20;
  private static final long ROUND_TRIPS_NANOS = 1_000_000_000;
  private static final int FEWEST_ROUND_TRIPS = 20;
  private static final int MOST_ROUND_TRIPS = 1_000;
  private static final double BULK_SECONDS = 0.4;
  private static final int UNBOUNDED_BULK_BYTES = 16 << 20;
  private static final int LONGEST_SILENCE_MILLIS = 20_000;

  private SiteLinkProbe() {}

  /**
   * Measures the link to {@code site}.
   *
   * @throws UncheckedIOException if the relay breaks
   */
  public static SiteLinkReport of(
      String site, WanProfile wanted, SiteLink siteLink, LinkThreads threads) {
    try (EchoNode node = new EchoNode();
        Relay relay =
            Relay.listening(Ports.reserve(1), node.address(), new NodeLink(siteLink), threads)) {
      double[] millis = roundTrips(relay);
      int bulk = bulkBytes(wanted);
      return new SiteLinkReport(
          site,
          wanted.roundTrip().toNanos() / 1e6,
          wanted.bitsPerSecond() / 1e6,
          rounded(millis[millis.length / 2]),
          rounded(millis[Math.min(millis.length - 1, millis.length * 99 / 100)]),
          rounded(megabits(relay, wanted, EchoNode.SWALLOW, bulk)),
          rounded(megabits(relay, wanted, EchoNode.SEND, bulk)));
    } catch (IOException e) {
      throw new UncheckedIOException("the link cannot be measured; site=" + site, e);
    }
  }

  private static int bulkBytes(WanProfile wanted) {
    return wanted.bitsPerSecond() == 0
        ? UNBOUNDED_BULK_BYTES
        : (int) Math.min(UNBOUNDED_BULK_BYTES, wanted.bitsPerSecond() / 8.0 * BULK_SECONDS);
  }

  private static double[] roundTrips(Relay relay) throws IOException {
    double[] millis = new double[MOST_ROUND_TRIPS];
    int done = 0;
    try (ProbeConnection with = new ProbeConnection(relay, EchoNode.ECHO, Integer.MAX_VALUE)) {
      for (int i = 0; i < WARMING; i++) {
        with.trip();
      }
      long begin = System.nanoTime();
      while (done < FEWEST_ROUND_TRIPS
          || (done < MOST_ROUND_TRIPS && System.nanoTime() - begin < ROUND_TRIPS_NANOS)) {
        millis[done++] = with.trip() / 1e6;
      }
    }
    double[] sorted = Arrays.copyOf(millis, done);
    Arrays.sort(sorted);
    return sorted;
  }

  /**
   * The rate of the bytes alone: the delay of the first byte does not count as missing bandwidth.
   */
  private static double megabits(Relay relay, WanProfile wanted, int what, int bytes)
      throws IOException {
    try (ProbeConnection with = new ProbeConnection(relay, what, bytes)) {
      long begin = System.nanoTime();
      if (what == EchoNode.SWALLOW) {
        with.out.write(new byte[bytes]);
        with.in.readByte();
      } else {
        with.in.readFully(new byte[bytes]);
      }
      long nanos = System.nanoTime() - begin - wanted.roundTrip().toNanos();
      return bytes * 8e3 / Math.max(1, nanos);
    }
  }

  private static double rounded(double value) {
    return Math.round(value * 1e3) / 1e3;
  }

  /** One connection through the relay. */
  private static final class ProbeConnection implements AutoCloseable {

    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;

    ProbeConnection(Relay relay, int what, int bytes) throws IOException {
      socket = new Socket(relay.address().getAddress(), relay.address().getPort());
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(LONGEST_SILENCE_MILLIS);
      in = new DataInputStream(socket.getInputStream());
      out = new DataOutputStream(socket.getOutputStream());
      out.write(
          new byte[] {
            (byte) what,
            (byte) (bytes >>> 24),
            (byte) (bytes >>> 16),
            (byte) (bytes >>> 8),
            (byte) bytes
          });
    }

    long trip() throws IOException {
      long begin = System.nanoTime();
      out.write(1);
      in.readByte();
      return System.nanoTime() - begin;
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
