package io.ensemble.cli.rest;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.rest.identity.PasswordHash;
import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "password",
    description = {
      "Create a line for a file of users.",
      "Reads the password from the terminal, or a line of standard input; prints a hash that "
          + "verifies the password."
    })
final class RestPasswordCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();

  @Parameters(paramLabel = "NAME", description = "Name of the user.")
  String name = "";

  @Override
  public Integer call() throws IOException {
    if (name.isBlank() || name.contains(":") || name.startsWith("#")) {
      throw new CommandException(
          ExitCode.USAGE, "a user name must not contain a colon; got '" + name + "'");
    }
    char[] password = password();
    if (password.length == 0) {
      throw new CommandException(ExitCode.USAGE, "a password is required; got none");
    }
    String line = name + ":" + PasswordHash.of(password, new SecureRandom()).text();
    Arrays.fill(password, '\0');
    reporting.report(new PasswordReport(line), out -> out.println(line));
    return ExitCode.OK;
  }

  private static char[] password() throws IOException {
    Console console = System.console();
    if (console != null) {
      char[] typed = console.readPassword("password: ");
      return typed == null ? new char[0] : typed;
    }
    String line =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
    return line == null ? new char[0] : line.toCharArray();
  }

  private record PasswordReport(String line) {}
}
