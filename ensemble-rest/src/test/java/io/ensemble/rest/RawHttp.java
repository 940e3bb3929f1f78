package io.ensemble.rest;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** Requests that no ordinary client sends. */
final class RawHttp {

  private RawHttp() {}

  /** The status of the answer to these lines; -1 if the connection ends without one. */
  static int status(URI service, String head) throws IOException {
    try (Socket socket = new Socket(service.getHost(), service.getPort())) {
      send(socket, head + "\r\n\r\n");
      return status(socket);
    }
  }

  /** The head of the answer to these lines. */
  static String head(URI service, String head) throws IOException {
    try (Socket socket = new Socket(service.getHost(), service.getPort())) {
      send(socket, head + "\r\nConnection: close\r\n\r\n");
      socket.setSoTimeout(20_000);
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    }
  }

  /** The whole answer to a request after which the connection ends. */
  static String send(URI service, String text) throws IOException {
    try (Socket socket = new Socket(service.getHost(), service.getPort())) {
      socket.setSoTimeout(20_000);
      socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
      socket.getOutputStream().flush();
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    socket.getOutputStream().flush();
  }

  static int status(Socket socket) throws IOException {
    socket.setSoTimeout(20_000);
    String line =
        new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))
            .readLine();
    return line == null ? -1 : Integer.parseInt(line.split(" ")[1]);
  }
}
