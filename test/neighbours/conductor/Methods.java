// SPDX-License-Identifier: Apache-2.0
// Calls every method of SchedulerClient of Conductor's Java SDK; see methods.py.
import com.netflix.conductor.client.http.ConductorClient;
import com.netflix.conductor.common.metadata.workflow.StartWorkflowRequest;
import io.orkes.conductor.client.SchedulerClient;
import io.orkes.conductor.client.http.OrkesSchedulerClient;
import io.orkes.conductor.client.model.SaveScheduleRequest;
import io.orkes.conductor.client.model.TagObject;
import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

class Methods {
    static final String NAME = "java", CRON = "0 0 2 * * ?";
    static final long START = 4000000000000L;

    static void save(SchedulerClient client, String name) {
        StartWorkflowRequest start = new StartWorkflowRequest();
        start.setName("java_wf");
        client.saveSchedule(SaveScheduleRequest.builder().name(name).cronExpression(CRON)
                .startWorkflowRequest(start).build());
    }

    /** The cases by name and number of parameters; each returns whether the effect is there. */
    static Map<String, Callable<Boolean>> cases(SchedulerClient c) {
        Map<String, Callable<Boolean>> cases = new LinkedHashMap<>();
        List<TagObject> tags = List.of(TagObject.builder().key("team").value("blue").build());
        cases.put("saveSchedule/1", () -> { save(c, NAME); return true; });
        cases.put("getSchedule/1", () -> c.getSchedule(NAME).getCronExpression().equals(CRON));
        cases.put("getAllSchedules/1", () -> c.getAllSchedules("java_wf").size() == 1);
        cases.put("pauseSchedule/1", () -> { c.pauseSchedule(NAME); return c.getSchedule(NAME).isPaused(); });
        cases.put("resumeSchedule/1", () -> { c.resumeSchedule(NAME); return !c.getSchedule(NAME).isPaused(); });
        cases.put("pauseSchedule/2", () -> { c.pauseSchedule(NAME, "why"); return c.getSchedule(NAME).isPaused(); });
        cases.put("resumeSchedulers/1", () -> c.resumeSchedulers(List.of(NAME)).getBulkSuccessfulResults().size() == 1);
        cases.put("pauseSchedulers/1", () -> c.pauseSchedulers(List.of(NAME)).getBulkSuccessfulResults().size() == 1);
        cases.put("pauseAllSchedules/0", () -> { c.pauseAllSchedules(); return true; });
        cases.put("resumeAllSchedules/0", () -> { c.resumeAllSchedules(); return true; });
        cases.put("getNextFewSchedules/4",
                () -> c.getNextFewSchedules(CRON, START, null, 2).equals(List.of(4000068000000L, 4000154400000L)));
        cases.put("requeueAllExecutionRecords/0", () -> { c.requeueAllExecutionRecords(); return true; });
        cases.put("search/5",
                () -> c.search(0, 10, "scheduledTime:ASC", "*", "scheduleName IN (java)").getTotalHits() == 0);
        cases.put("setSchedulerTags/2", () -> { c.setSchedulerTags(tags, NAME); return true; });
        cases.put("getSchedulerTags/1", () -> c.getSchedulerTags(NAME).get(0).getKey().equals("team"));
        cases.put("deleteSchedulerTags/2",
                () -> { c.deleteSchedulerTags(tags, NAME); return c.getSchedulerTags(NAME).isEmpty(); });
        cases.put("deleteSchedule/1", () -> { c.deleteSchedule(NAME); return c.getAllSchedules("java_wf").isEmpty(); });
        return cases;
    }

    static String resultOf(Callable<Boolean> action) {
        try {
            return action.call() ? "ok" : "failed: not as expected";
        } catch (Exception error) { // any error of the SDK is a result
            return ("failed: " + error).replace('\n', ' ');
        }
    }

    public static void main(String[] args) {
        SchedulerClient client = new OrkesSchedulerClient(new ConductorClient(args[0]));
        Map<String, Callable<Boolean>> cases = cases(client);
        for (Map.Entry<String, Callable<Boolean>> one : cases.entrySet())
            System.out.println(one.getKey() + " " + resultOf(one.getValue()));
        for (Method method : SchedulerClient.class.getMethods()) {
            String key = method.getName() + "/" + method.getParameterCount();
            if (!cases.containsKey(key)) System.out.println(key + " failed: not called");
        }
        System.exit(0); // the client's threads would wait
    }
}
