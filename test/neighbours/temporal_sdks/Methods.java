// SPDX-License-Identifier: Apache-2.0
// Calls every schedule method of Temporal's Java SDK; see methods.py.
import io.temporal.api.enums.v1.ScheduleOverlapPolicy;
import io.temporal.client.WorkflowOptions;
import io.temporal.client.schedules.Schedule;
import io.temporal.client.schedules.ScheduleActionStartWorkflow;
import io.temporal.client.schedules.ScheduleBackfill;
import io.temporal.client.schedules.ScheduleClient;
import io.temporal.client.schedules.ScheduleException;
import io.temporal.client.schedules.ScheduleHandle;
import io.temporal.client.schedules.ScheduleOptions;
import io.temporal.client.schedules.ScheduleSpec;
import io.temporal.client.schedules.ScheduleUpdate;
import io.temporal.serviceclient.WorkflowServiceStubs;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

class Methods {
    static final String ID = "java", NOON = "0 12 1 1 *";

    static Schedule schedule(String cron) {
        return Schedule.newBuilder()
                .setAction(ScheduleActionStartWorkflow.newBuilder().setWorkflowType("report")
                        .setArguments("argument")
                        .setOptions(WorkflowOptions.newBuilder().setWorkflowId("w").setTaskQueue("q").build())
                        .build())
                .setSpec(ScheduleSpec.newBuilder().setCronExpressions(List.of(cron)).build())
                .build();
    }

    static long actions(ScheduleHandle h) {
        return h.describe().getInfo().getNumActions();
    }

    static boolean isPaused(ScheduleHandle h, boolean expected, String note) {
        return h.describe().getSchedule().getState().isPaused() == expected
                && (note == null || note.equals(h.describe().getSchedule().getState().getNote()));
    }

    static int hour(ScheduleHandle h) {
        return h.describe().getSchedule().getSpec().getCalendars().get(0).getHour().get(0).getStart();
    }

    static boolean isGone(ScheduleHandle h) {
        try {
            h.describe();
            return false;
        } catch (ScheduleException error) {
            return error.getCause() instanceof io.grpc.StatusRuntimeException status
                    && status.getStatus().getCode() == io.grpc.Status.Code.NOT_FOUND;
        }
    }

    /** The cases by name and number of parameters; each returns whether the effect is there. */
    static Map<String, Callable<Boolean>> cases(WorkflowServiceStubs stubs) {
        Map<String, Callable<Boolean>> cases = new LinkedHashMap<>();
        ScheduleClient c = ScheduleClient.newInstance(stubs);
        ScheduleHandle h = c.getHandle(ID);
        ScheduleBackfill years = new ScheduleBackfill(Instant.parse("2021-01-01T00:00:00Z"),
                Instant.parse("2022-06-01T00:00:00Z"), ScheduleOverlapPolicy.SCHEDULE_OVERLAP_POLICY_ALLOW_ALL);
        cases.put("createSchedule/3", () -> c.createSchedule(ID, schedule(NOON),
                ScheduleOptions.newBuilder().build()).getId().equals(ID));
        cases.put("getHandle/1", () -> c.getHandle(ID).getId().equals(ID));
        cases.put("listSchedules/0", () -> c.listSchedules().anyMatch(one -> one.getScheduleId().equals(ID)));
        cases.put("listSchedules/1", () -> c.listSchedules(1).anyMatch(one -> one.getScheduleId().equals(ID)));
        cases.put("listSchedules/2", () -> c.listSchedules("ScheduleId = 'java'", 10).count() == 1);
        cases.put("getId/0", () -> h.getId().equals(ID));
        cases.put("describe/0", () -> hour(h) == 12);
        cases.put("pause/0", () -> { h.pause(); return isPaused(h, true, null); });
        cases.put("unpause/0", () -> { h.unpause(); return isPaused(h, false, null); });
        cases.put("pause/1", () -> { h.pause("why"); return isPaused(h, true, "why"); });
        cases.put("unpause/1", () -> { h.unpause("again"); return isPaused(h, false, "again"); });
        cases.put("trigger/0", () -> { h.trigger(); return actions(h) == 1; });
        cases.put("trigger/1", () -> {
            h.trigger(ScheduleOverlapPolicy.SCHEDULE_OVERLAP_POLICY_ALLOW_ALL);
            return actions(h) == 2;
        });
        cases.put("backfill/1", () -> { h.backfill(List.of(years)); return actions(h) == 4; });
        cases.put("update/1", () -> {
            h.update(given -> new ScheduleUpdate(schedule("0 6 1 1 *")));
            return hour(h) == 6;
        });
        cases.put("delete/0", () -> { h.delete(); return isGone(h); });
        return cases;
    }

    static String resultOf(Callable<Boolean> action) {
        try {
            return action.call() ? "ok" : "failed: not as expected";
        } catch (Exception error) { // any error of the SDK is a result
            return ("failed: " + error + " " + error.getCause()).replace('\n', ' ');
        }
    }

    public static void main(String[] args) {
        WorkflowServiceStubs stubs = WorkflowServiceStubs.newServiceStubs(
                WorkflowServiceStubsOptions.newBuilder().setTarget(args[0]).build());
        Map<String, Callable<Boolean>> cases = cases(stubs);
        for (Map.Entry<String, Callable<Boolean>> one : cases.entrySet())
            System.out.println(one.getKey() + " " + resultOf(one.getValue()));
        for (Class<?> type : List.of(ScheduleClient.class, ScheduleHandle.class))
            for (Method method : type.getMethods()) {
                String key = method.getName() + "/" + method.getParameterCount();
                if (!Modifier.isStatic(method.getModifiers()) && !cases.containsKey(key))
                    System.out.println(key + " failed: not called");
            }
        System.exit(0); // the client's threads would wait
    }
}
