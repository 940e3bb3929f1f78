/**
 * Carries out what a course wants: asks the store, waits for nothing, keeps the time, and hands
 * everything to the course one thing at a time.
 */
@NullMarked
package io.ensemble.objects.runtime;

import org.jspecify.annotations.NullMarked;
