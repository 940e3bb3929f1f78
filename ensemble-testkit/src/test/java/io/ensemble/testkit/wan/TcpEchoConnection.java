package io.ensemble.testkit.wan;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.testkit.process.child.JavaProgram;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Optional;

/** A TCP connection between processes on two hosts, with a server that echoes bytes. */
final class TcpEchoConnection implements AutoCloseable {

  private static final int SILENCE_MILLIS = 500;
  private static final int LONGEST_SILENCE_MILLIS = 60_000;

  private final Process server;
  private final BufferedReader serverSays;
  private final Process client;
  private final BufferedReader clientSays;

  private TcpEchoConnection(
      Process server, BufferedReader serverSays, Process client, BufferedReader clientSays) {
    this.server = server;
    this.serverSays = serverSays;
    this.client = client;
    this.clientSays = clientSays;
  }

  static TcpEchoConnection between(EmulatedWan wan, String clientHost, String serverHost)
      throws IOException {
    Process server = wan.in(serverHost, program("serve")).start();
    BufferedReader serverSays = server.inputReader(UTF_8);
    String port = serverSays.readLine();
    Process client = wan.in(clientHost, program("ask", serverHost, port)).start();
    BufferedReader clientSays = client.inputReader(UTF_8);
    clientSays.readLine();
    return new TcpEchoConnection(server, serverSays, client, clientSays);
  }

  private static ProcessBuilder program(String... arguments) {
    return JavaProgram.ofThisProcess(TcpEchoConnection.class.getName(), "-Xmx64m")
        .process(arguments)
        .redirectError(ProcessBuilder.Redirect.INHERIT);
  }

  /** Sends a byte and returns the time until its echo; empty if none arrives within a minute. */
  Optional<Long> roundTrip() throws IOException {
    return said("ask " + LONGEST_SILENCE_MILLIS);
  }

  /** Sends a byte over a cut link; empty if no echo comes within 0.5 s. */
  Optional<Long> roundTripOverCut() throws IOException {
    return said("ask " + SILENCE_MILLIS);
  }

  /** Waits for the echo of a byte that was sent before. */
  Optional<Long> answerToWhatWasAsked() throws IOException {
    return said("wait " + LONGEST_SILENCE_MILLIS);
  }

  /** Waits until the server has received so many bytes. */
  boolean heardThere(int bytes) throws IOException {
    for (int heard = 0; heard < bytes; heard++) {
      if (serverSays.readLine() == null) {
        return false;
      }
    }
    return true;
  }

  private Optional<Long> said(String command) throws IOException {
    Writer out = client.outputWriter(UTF_8);
    out.write(command + "\n");
    out.flush();
    String line = clientSays.readLine();
    return "silence".equals(line) ? Optional.empty() : Optional.of(Long.parseLong(line));
  }

  @Override
  public void close() {
    client.destroyForcibly();
    server.destroyForcibly();
  }

  public static void main(String[] arguments) throws IOException {
    if (arguments[0].equals("serve")) {
      serve();
    } else {
      ask(new InetSocketAddress(arguments[1], Integer.parseInt(arguments[2])));
    }
  }

  private static void serve() throws IOException {
    try (ServerSocket listening = new ServerSocket(0)) {
      System.out.println(listening.getLocalPort());
      try (Socket socket = listening.accept()) {
        for (int heard = socket.getInputStream().read();
            heard >= 0;
            heard = socket.getInputStream().read()) {
          System.out.println("heard");
          socket.getOutputStream().write(heard);
        }
      }
    }
  }

  private static void ask(InetSocketAddress server) throws IOException {
    try (Socket socket = new Socket(server.getAddress(), server.getPort());
        BufferedReader owner = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
      socket.setTcpNoDelay(true);
      System.out.println("up");
      for (String line = owner.readLine(); line != null; line = owner.readLine()) {
        String[] words = line.split(" ", -1);
        socket.setSoTimeout(Integer.parseInt(words[1]));
        long begin = System.nanoTime();
        try {
          if (words[0].equals("ask")) {
            socket.getOutputStream().write(1);
          }
          socket.getInputStream().read();
          System.out.println(System.nanoTime() - begin);
        } catch (SocketTimeoutException e) {
          System.out.println("silence");
        }
      }
    }
  }
}
