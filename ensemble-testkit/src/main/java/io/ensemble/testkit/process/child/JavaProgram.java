package io.ensemble.testkit.process.child;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A program to be run in a virtual machine of its own, by the same Java as this one.
 *
 * @param options of the virtual machine
 * @param classPath where its classes are
 * @param main the name of the class that is run
 */
public record JavaProgram(List<String> options, String classPath, String main) {

  /** Copies the options. */
  public JavaProgram {
    options = List.copyOf(options);
  }

  /** One whose classes are found where those of this process are. */
  public static JavaProgram ofThisProcess(String main, String... options) {
    return new JavaProgram(List.of(options), System.getProperty("java.class.path"), main);
  }

  /** Options without which newer virtual machines warn of what Netty does for speed. */
  public static List<String> optionsOfNetty() {
    return Runtime.version().feature() >= 24
        ? List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow")
        : List.of();
  }

  /** The process to be started. */
  public ProcessBuilder process(List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.addAll(List.of("-cp", classPath, main));
    command.addAll(arguments);
    return new ProcessBuilder(command);
  }

  /** The same. */
  public ProcessBuilder process(String... arguments) {
    return process(List.of(arguments));
  }
}
