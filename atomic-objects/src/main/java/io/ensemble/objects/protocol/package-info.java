/**
 * What a process does for an object that it has open, its <b>course</b>: which calls to propose,
 * what to make of the store's answers, whom to leave the work to. Pure: requests out, answers in,
 * the time handed in; the simulator and production drive the same code.
 */
@NullMarked
package io.ensemble.objects.protocol;

import org.jspecify.annotations.NullMarked;
