package io.ensemble.testkit.wan;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.Constructor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The process between the hosts. At its start the devices are open, at the descriptors in its
 * arguments. It then reads paths and cuts, line by line, and answers each line with {@code ok} when
 * it is in force. It ends when its owner closes the input, or dies. The devices end with it, and it
 * removes the remains of the run.
 */
final class DelayerProgram {

  private final List<FileDescriptor> devices;
  private final OneWayPath[][] paths;
  private @Nullable Delayer delayer;

  private DelayerProgram(List<FileDescriptor> devices) {
    this.devices = devices;
    this.paths = new OneWayPath[devices.size()][devices.size()];
  }

  /**
   * Runs the program.
   *
   * @param arguments a namespace of the run, the file for error messages, then the descriptor of
   *     each host's device
   */
  public static void main(String[] arguments) throws IOException, ReflectiveOperationException {
    Constructor<FileDescriptor> open = FileDescriptor.class.getDeclaredConstructor(int.class);
    open.setAccessible(true);
    FileDescriptor[] devices = new FileDescriptor[arguments.length - 2];
    for (int i = 0; i < devices.length; i++) {
      devices[i] = open.newInstance(Integer.parseInt(arguments[i + 2]));
    }
    DelayerProgram program = new DelayerProgram(List.of(devices));
    try {
      program.executeCommands(new BufferedReader(new InputStreamReader(System.in, UTF_8)));
    } finally {
      EmulationId.of(arguments[0]).ifPresent(OrphanNamespaces::removeOf);
      Files.deleteIfExists(Path.of(arguments[1]));
      System.exit(0);
    }
  }

  private void executeCommands(BufferedReader owner) throws IOException {
    for (String line = owner.readLine(); line != null; line = owner.readLine()) {
      List<String> words = List.of(line.split(" ", -1));
      switch (words.get(0)) {
        case "lane" -> setPath(words);
        case "go" -> startDelayer();
        default -> running().cut(number(words, 1), number(words, 2), words.get(0).equals("cut"));
      }
      System.out.println("ok");
    }
  }

  /** Handles {@code lane FROM TO NANOS BITS LOSS SEED}. */
  private void setPath(List<String> words) {
    PathProfile distance =
        new PathProfile(
            Duration.ofNanos(Long.parseLong(words.get(3))),
            Long.parseLong(words.get(4)),
            Double.parseDouble(words.get(5)));
    paths[number(words, 1)][number(words, 2)] =
        new OneWayPath(distance, Long.parseLong(words.get(6)));
  }

  private static int number(List<String> words, int at) {
    return Integer.parseInt(words.get(at));
  }

  private Delayer running() {
    if (delayer == null) {
      throw new IllegalStateException("expected 'go' first");
    }
    return delayer;
  }

  private void startDelayer() {
    Delayer started = new Delayer(paths, Delayer.MOST_FRAMES);
    delayer = started;
    IntStream.range(0, devices.size())
        .forEach(host -> thread("device-" + host, () -> read(started, host)));
    thread("arrivals", () -> write(started));
  }

  private static void thread(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }

  private void read(Delayer delayer, int host) {
    byte[] beyond = new byte[PacketBuffer.MTU];
    try (FileInputStream in = new FileInputStream(devices.get(host))) {
      while (true) {
        PacketBuffer frame = delayer.allocate();
        int length = in.read(frame == null ? beyond : frame.bytes);
        if (length < 0) {
          return;
        }
        if (frame != null) {
          frame.length = length;
          boolean unused = delayer.accept(frame, host, System.nanoTime());
        }
      }
    } catch (IOException e) {
      // The device was removed with its namespace.
    }
  }

  private void write(Delayer delayer) {
    List<FileOutputStream> out = devices.stream().map(FileOutputStream::new).toList();
    try {
      while (true) {
        PacketBuffer frame = delayer.next();
        try {
          out.get(frame.to).write(frame.bytes, 0, frame.length);
        } catch (IOException e) {
          // The device of that host is down or removed; the packet is lost.
        }
        delayer.done(frame);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
