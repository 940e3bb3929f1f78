package io.ensemble.testkit.process.child;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A program that runs in a JVM of its own, by the same Java as this one.
 *
 * @param options the options of the JVM
 * @param classPath the class path of the program
 * @param main the name of the main class
 */
public record JavaProgram(List<String> options, String classPath, String main) {

  /** Copies the options. */
  public JavaProgram {
    options = List.copyOf(options);
  }

  /** A program with the class path of this process. */
  public static JavaProgram ofThisProcess(String main, String... options) {
    return new JavaProgram(List.of(options), System.getProperty("java.class.path"), main);
  }

  /**
   * Options without which newer JVMs warn about native access and unsafe memory access by Netty.
   */
  public static List<String> optionsOfNetty() {
    return Runtime.version().feature() >= 24
        ? List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow")
        : List.of();
  }

  /** The process to start. */
  public ProcessBuilder process(List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.addAll(List.of("-cp", classPath, main));
    command.addAll(arguments);
    return new ProcessBuilder(command);
  }

  /** The process to start. */
  public ProcessBuilder process(String... arguments) {
    return process(List.of(arguments));
  }
}
