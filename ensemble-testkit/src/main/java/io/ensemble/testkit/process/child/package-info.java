/**
 * A child process is a Java program that this JVM starts, signals, resumes and removes if an
 * earlier run left it.
 */
@NullMarked
package io.ensemble.testkit.process.child;

import org.jspecify.annotations.NullMarked;
