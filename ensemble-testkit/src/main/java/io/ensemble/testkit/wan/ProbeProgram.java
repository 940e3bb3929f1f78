package io.ensemble.testkit.wan;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The process in a host that measures distances. It answers packets of other hosts with the instant
 * of their arrival. When it reads {@code send}, it sends packets to another host and reports the
 * answers.
 */
final class ProbeProgram {

  /** The number of the packet, and the time at which it was sent. */
  static final int SHORTEST_BYTES = 16;

  private static final int ANSWER_BYTES = 24;
  private static final int LARGEST_BYTES = 1472;

  private final DatagramSocket socket;

  private ProbeProgram(DatagramSocket socket) {
    this.socket = socket;
  }

  /**
   * Runs the program until its input ends.
   *
   * @param arguments the host's address
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    try (DatagramSocket answering = new DatagramSocket(new InetSocketAddress(arguments[0], 0));
        DatagramSocket asking = new DatagramSocket(new InetSocketAddress(arguments[0], 0));
        BufferedReader owner = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
      Thread echo = new Thread(() -> answer(answering), "answers");
      echo.setDaemon(true);
      echo.start();
      System.out.println(answering.getLocalPort());
      ProbeProgram probe = new ProbeProgram(asking);
      for (String line = owner.readLine(); line != null; line = owner.readLine()) {
        probe.send(List.of(line.split(" ", -1)));
      }
    }
    System.exit(0);
  }

  private static void answer(DatagramSocket socket) {
    DatagramPacket packet = new DatagramPacket(new byte[LARGEST_BYTES], LARGEST_BYTES);
    ByteBuffer bytes = ByteBuffer.wrap(packet.getData());
    try {
      while (true) {
        packet.setLength(LARGEST_BYTES);
        socket.receive(packet);
        bytes.putLong(SHORTEST_BYTES, System.nanoTime());
        packet.setLength(ANSWER_BYTES);
        socket.send(packet);
      }
    } catch (IOException e) {
      // The measurement is over.
    }
  }

  /**
   * Handles {@code send ADDRESS PORT COUNT BYTES SPACING_NANOS PATIENCE_NANOS}. For each answer it
   * prints the number of the packet, its round trip and the time of its arrival at the other host,
   * and at last {@code end}.
   */
  private void send(List<String> words) throws IOException, InterruptedException {
    InetAddress address = InetAddress.getByName(words.get(1));
    int port = Integer.parseInt(words.get(2));
    int count = Integer.parseInt(words.get(3));
    long spacingNanos = Long.parseLong(words.get(5));
    long patienceNanos = Long.parseLong(words.get(6));
    ReplyRecorder answers = new ReplyRecorder(count);
    Thread receiver = new Thread(() -> answers.receiveAll(socket, address), "hears");
    receiver.setDaemon(true);
    receiver.start();
    byte[] bytes = new byte[Integer.parseInt(words.get(4))];
    CountDownLatch never = new CountDownLatch(1);
    long begin = System.nanoTime();
    for (int i = 0; i < count; i++) {
      long early = begin + i * spacingNanos - System.nanoTime();
      if (early > 0) {
        boolean unused = never.await(early, TimeUnit.NANOSECONDS);
      }
      ByteBuffer.wrap(bytes).putLong(i).putLong(System.nanoTime());
      socket.send(new DatagramPacket(bytes, bytes.length, address, port));
    }
    boolean unused = answers.all.await(patienceNanos, TimeUnit.NANOSECONDS);
    // Wakes the receiving thread by a packet to itself: the socket stays open for later
    // measurements.
    answers.finish(socket);
    receiver.join();
    System.out.print(answers.output);
    System.out.println("end");
  }

  private static final class ReplyRecorder {

    final CountDownLatch all;
    final StringBuilder output = new StringBuilder();
    private volatile boolean finished;

    ReplyRecorder(int count) {
      all = new CountDownLatch(count);
    }

    void receiveAll(DatagramSocket socket, InetAddress from) {
      DatagramPacket packet = new DatagramPacket(new byte[ANSWER_BYTES], ANSWER_BYTES);
      ByteBuffer answer = ByteBuffer.wrap(packet.getData());
      try {
        while (true) {
          socket.receive(packet);
          long now = System.nanoTime();
          if (finished) {
            return;
          }
          if (packet.getAddress().equals(from)) {
            output.append(answer.getLong(0)).append(' ');
            output.append(now - answer.getLong(Long.BYTES)).append(' ');
            output.append(answer.getLong(SHORTEST_BYTES)).append('\n');
            all.countDown();
          }
        }
      } catch (IOException e) {
        // The measurement is over.
      }
    }

    void finish(DatagramSocket socket) throws IOException {
      finished = true;
      socket.send(new DatagramPacket(new byte[1], 1, socket.getLocalSocketAddress()));
    }
  }
}
