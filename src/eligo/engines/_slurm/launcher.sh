#!/bin/sh
# Made by Eligo: runs one job of a workflow under Slurm. Arguments: the run's folder, the key of the submission.
#
# queued/KEY.sh says what to do. Moving it to running/ is the claim: whoever moves it first, this script or an Eligo that
# takes the job back, decides. running/KEY tells what happens, ended/KEY.ok or .no that it is over. All names begin with
# eligo_, so that no variable of the user's is changed.
eligo_here=$1
eligo_key=$2
eligo_note=$eligo_here/running/$eligo_key
eligo_file=$eligo_note.sh

if [ "$3" = process ]; then # called by ourselves, with an empty environment
    . "$eligo_file"
    eligo_clean=1
    eligo_process "$4"
    exit 126
fi

[ -d "$eligo_here/running" ] || exit 74
# Its node may have been lost after it had ended, and before Slurm heard of that.
[ ! -e "$eligo_here/ended/$eligo_key.no" ] || exit 1
[ ! -e "$eligo_here/ended/$eligo_key.ok" ] || exit 0
[ ! -e "$eligo_here/done/$eligo_key" ] || exit 0

if [ "${SLURM_RESTART_COUNT:-0}" = 0 ] || [ ! -e "$eligo_file" ]; then
    [ -e "$eligo_here/queued/$eligo_key.sh" ] || exit 75
    . "$eligo_here/queued/$eligo_key.sh"
    # Slurm takes a parent that it has forgotten for one that succeeded.
    for eligo_need in $eligo_needs; do
        [ -e "$eligo_here/ended/$eligo_need.ok" ] || [ -e "$eligo_here/done/$eligo_need" ] || exit 75
    done
    mv "$eligo_here/queued/$eligo_key.sh" "$eligo_file" 2>/dev/null || exit 75
fi
. "$eligo_file"
exec >>"$eligo_log" 2>&1 </dev/null

eligo_tell() { echo "$*" >>"$eligo_note"; }
eligo_now() { date +%s.%N; }

# When Slurm ends the job, its programs have their time to end, and nothing is recorded: Slurm knows why.
eligo_stopped=
trap 'eligo_stopped=1' TERM
eligo_wait() { # a process: sets eligo_got
    while :; do
        wait "$1"
        eligo_got=$?
        [ -n "$eligo_stopped" ] || break
        wait
        exit 143
    done
    # The signal may have reached the program before us.
    if [ "$eligo_got" -gt 128 ]; then
        sleep 1 &
        wait
        [ -z "$eligo_stopped" ] || exit 143
    fi
}

# What a script after the processes may ask for: which exit statuses there were, and how often each.
eligo_exit_codes() { printf '%s\n' $eligo_codes | sort -nu | paste -sd, -; }
eligo_exit_code_counts() {
    printf '%s\n' $eligo_codes | sort -n | uniq -c | while read -r eligo_n eligo_c; do echo "$eligo_c:$eligo_n"; done |
        paste -sd, -
}

eligo_hook() { # before or after, status to defer at, seconds: sets eligo_got
    while :; do
        "eligo_$1" &
        eligo_wait $!
        [ "$eligo_got" = "$2" ] || break
        sleep "$3" &
        eligo_wait $!
    done
}

eligo_attempt() { # sets eligo_code, eligo_step, eligo_skipped
    eligo_code=0 eligo_return=0 eligo_before_code=-1 eligo_step=process eligo_skipped= eligo_codes=
    if [ -n "$eligo_has_before" ]; then
        eligo_hook before "$eligo_before_defer" "$eligo_before_wait"
        eligo_before_code=$eligo_got
        if [ "$eligo_got" != 0 ]; then
            eligo_code=$eligo_got eligo_step=before
            [ "$eligo_got" != "$eligo_skip" ] || eligo_skipped=1
            return
        fi
    fi
    eligo_pids=
    for eligo_number in $eligo_numbers; do
        eligo_process "$eligo_number" &
        eligo_pids="$eligo_pids $!"
    done
    for eligo_pid in $eligo_pids; do
        eligo_wait "$eligo_pid"
        [ "$eligo_code" != 0 ] || eligo_code=$eligo_got
        # To scripts a signal is a negative number, as with DAGMan.
        [ "$eligo_got" -le 128 ] || eligo_got=$((128 - eligo_got))
        [ "$eligo_return" != 0 ] || eligo_return=$eligo_got
        # Where exit statuses are counted, every signal is -1.
        [ "$eligo_got" -ge 0 ] || eligo_got=-1
        eligo_codes="$eligo_codes $eligo_got"
    done
    : "${eligo_codes:=0}"
    if [ -n "$eligo_has_after" ]; then
        eligo_hook after "$eligo_after_defer" "$eligo_after_wait"
        eligo_code=$eligo_got eligo_step=after
    fi
}

eligo_over() { # ok or no, then what counts
    # Whose child was ended by Slurm may end well all the same, before the signal reaches us: we were told before that.
    [ ! -e "$eligo_note.stop" ] || exit 143
    times >>"$eligo_note"
    # An end that cannot be recorded, as on a full disk, is none: what depends on it must not start.
    eligo_tell "end $1 $2 $eligo_code $eligo_step $eligo_try $eligo_begin $(eligo_now)" || exit 73
    mv "$eligo_note" "$eligo_here/ended/$eligo_key.$1" || exit 73
    sync "$eligo_here/ended/$eligo_key.$1" "$eligo_here/ended" 2>/dev/null
    [ "$1" = no ] || exit 0
    [ "$eligo_code" != 0 ] || exit 1
    exit "$eligo_code"
}

# Tries that had ended when a node was lost count.
if [ -e "$eligo_note" ]; then
    while read -r eligo_word eligo_rest; do
        [ "$eligo_word" != try ] || eligo_try=$((eligo_try + 1))
    done <"$eligo_note"
fi
eligo_begin=$(eligo_now)
eligo_tell "start $eligo_begin ${SLURMD_NODENAME:-$(uname -n)}"
while :; do
    eligo_retry=$eligo_try
    eligo_try=$((eligo_try + 1))
    eligo_attempt
    if [ -n "$eligo_skipped" ]; then
        eligo_over ok skipped
    elif [ "$eligo_code" = "$eligo_abort" ]; then
        eligo_over no abort
    elif [ "$eligo_code" = 0 ]; then
        eligo_over ok succeeded
    elif [ "$eligo_try" -gt "$eligo_retries" ] || [ "$eligo_code" = "$eligo_unless" ]; then
        eligo_over no failed
    fi
    eligo_again=$(eligo_now)
    eligo_tell "try $eligo_try $eligo_code $eligo_step $eligo_begin $eligo_again"
    eligo_begin=$eligo_again
done
